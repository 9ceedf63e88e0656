/// Declares the model files of a folder and the closed union over them.
///
/// One line per model: `file::Model<Nested>`. `by name` names the macro that forwards a call. The union only forwards; nothing about a model is
/// written here. A union, not a trait object, because methods generic over the scalar cannot be in
/// one, and because it needs no allocation.
#[macro_export]
macro_rules! catalog {
    (
        $(#[$meta:meta])*
        $Any:ident ($inner:ty) by $each:ident:
        $($file:ident :: $Model:ident < $($arg:ident)? >,)*
    ) => {
        $(pub mod $file; pub use $file::$Model;)*

        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[allow(missing_docs, clippy::large_enum_variant)]
        pub enum $Any<S: $crate::Real> { $($Model($Model<S $(, $arg<S>)?>),)* }

        impl<S: $crate::Real> $Any<S> {
            /// What every model of the catalogue says of itself, in catalogue order.
            pub const CATALOG: &'static [&'static $crate::Info] =
                &[$(<$Model<f64 $(, $arg<f64>)?> as $crate::Model>::INFO),*];

            /// The model of that name at its start values, around `inner` if it nests one.
            pub fn named(name: &str, inner: $inner) -> Option<Self> {
                $(if name == <$Model<f64 $(, $arg<f64>)?> as $crate::Model>::NAME {
                    return Some($Any::$Model($crate::Start::start(inner)));
                })*
                None
            }

            /// What this model says of itself.
            pub fn info(&self) -> &'static $crate::Info {
                fn of<M: $crate::Model>(_: &M) -> &'static $crate::Info { M::INFO }
                match self { $($Any::$Model(m) => of(m),)* }
            }
        }

        $(impl<S: $crate::Real> From<$Model<S $(, $arg<S>)?>> for $Any<S> {
            fn from(model: $Model<S $(, $arg<S>)?>) -> Self {
                $Any::$Model(model)
            }
        })*

        impl<S: $crate::Real> $crate::Params<S> for $Any<S> {
            fn visit(&mut self, group: $crate::Group, f: &mut $crate::Visitor<'_, S>) {
                match self { $($Any::$Model(m) => m.visit(group, f),)* }
            }
        }

        impl<S: $crate::Real> $crate::Cast<S> for $Any<S> {
            type Over<T: $crate::Real> = $Any<T>;
            fn cast<T: $crate::Real>(&self, f: &mut impl FnMut(S) -> T) -> $Any<T> {
                match self { $($Any::$Model(m) => $Any::$Model(m.cast(f)),)* }
            }
        }

        impl $crate::Check for $Any<f64> {
            fn check(&self, group: $crate::Group, report: &mut dyn FnMut($crate::Fault)) {
                match self { $($Any::$Model(m) => m.check(group, report),)* }
            }
        }

        /// Forwards one call to whichever model is inside.
        macro_rules! $each {
            ($this:expr, $m:ident => $body:expr) => { match $this { $($Any::$Model($m) => $body,)* } };
        }
    };
}
