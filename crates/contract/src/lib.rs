//! The tests of `bristle-kernel` over all laws, bristles and scalars. They are a package of their own because they are compiled without
//! optimisation: so many instances take longer to compile than to run.
