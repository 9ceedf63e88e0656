//! `#[derive(Params)]` turns a documented struct into a model's name, source and parameter table.
//!
//! Data only: a model's equations are never generated. By convention the scalar is `S` and the
//! model nested inside, if any, is `L`. The generated code names `bristle_kernel`, so a model may
//! live in any crate that depends on it.
//!
//! ```text
//! #[derive(Clone, Debug, Params)]
//! #[params(name = "dahl", title = "...", source = "...", stick = "...", passive = "...",
//!          law = "...", rules = "relations in words", check = path_of_a_function)]
//! pub struct Dahl<S, L> {
//!     /// what the stiffness and damping are divided by
//!     #[param(choice, start = Scaling::PerLoad, eq = "(13)")]
//!     pub scaling: Scaling,
//!     /// bristle stiffness σ₀
//!     #[param(unit = "1/m", absolute = "N/m", start = 1.0e4, range = "(0, inf)", eq = "(13)")]
//!     pub sigma0: S,
//!     /// friction law μ(v)
//!     #[param(nested)]
//!     pub law: L,
//! }
//! ```
//!
//! A field is a number (`S`), a list of numbers (`#[param(list, …)]`, start `[…]`; `shares` if they sum to 1), a choice
//! (`#[param(choice, …)]`) or the nested model. `absolute` is the unit when the struct's field
//! `scaling` is `Scaling::Absolute`.
use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Attribute, DeriveInput, Error, Expr, Field, LitStr, Path, Result, parse_macro_input};

/// See the crate's documentation.
#[proc_macro_derive(Params, attributes(params, param))]
pub fn derive_params(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

fn expand(input: &DeriveInput) -> Result<Tokens> {
    let syn::Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "Params is for structs"));
    };
    let ty = &input.ident;
    let Whole { name, title, source, stick, passive, law, rules, check, over } =
        Whole::read(input)?;
    let over = over.map(|path| quote!(+ #path<f64>));
    let doc = doc(&input.attrs)
        .ok_or_else(|| Error::new_spanned(ty, "a model without a doc comment cannot be chosen"))?;
    let (mut rows, mut visits, mut starts, mut casts) = (vec![], vec![], vec![], vec![]);
    let mut nested = None;
    for field in &data.fields {
        let id = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "unnamed field"))?;
        let text = id.to_string();
        let one = One::read(field)?;
        if one.nested {
            visits.push(quote! {
                bristle_kernel::Params::visit(&mut self.#id, group.enter(#text), f);
            });
            starts.push(quote! { #id: inner });
            casts.push(quote! { #id: bristle_kernel::Cast::cast(&self.#id, f) });
            nested = Some(id);
            continue;
        }
        let row = one.row(&text, field)?;
        let index = rows.len();
        rows.push(row.table);
        let unit = match &one.absolute {
            Some(absolute) => quote! {
                if self.scaling == bristle_kernel::Scaling::Absolute { #absolute }
                else { PARAMS[#index].unit }
            },
            None => quote! { PARAMS[#index].unit },
        };
        let access = row.access;
        visits.push(quote! {{
            let unit = #unit;
            f(bristle_kernel::Visit {
                model: #name, group, param: &PARAMS[#index], unit,
                field: bristle_kernel::Field::#access(&mut self.#id),
            });
        }});
        let start = row.start;
        starts.push(quote! { #id: #start });
        casts.push(match () {
            () if one.choice => quote! { #id: self.#id },
            () if one.list => quote! { #id: self.#id.iter().map(|x| f(*x)).collect() },
            () => quote! { #id: f(self.#id) },
        });
    }
    let own = check.map(|f| {
        quote! { #f(self, &mut bristle_kernel::Report::new(#name, group, Self::PARAMS, report)); }
    });
    let inner_check = nested.map(|id| {
        let text = id.to_string();
        quote! { bristle_kernel::Check::check(&self.#id, group.enter(#text), report); }
    });
    let nested_name = match nested {
        Some(id) => {
            let text = id.to_string();
            quote!(Some(#text))
        }
        None => quote!(None),
    };
    let (l, inner) =
        if nested.is_some() { (quote!(, L), quote!(L)) } else { (quote!(), quote!(Ignored)) };
    let (params_l, check_l, cast_l, over_l) = match nested {
        Some(_) => (
            quote!(, L: bristle_kernel::Params<S>),
            quote!(<L: bristle_kernel::Check #over>),
            quote!(, L: bristle_kernel::Cast<S>),
            quote!(, L::Over<T>),
        ),
        None => (quote!(), quote!(), quote!(), quote!()),
    };
    Ok(quote! {
        const _: () = {
            static PARAMS: &[bristle_kernel::Param] = &[#(#rows),*];
            impl<S: bristle_kernel::Real #params_l> bristle_kernel::Params<S> for #ty<S #l> {
                fn visit(
                    &mut self,
                    group: bristle_kernel::Group,
                    f: &mut bristle_kernel::Visitor<'_, S>,
                ) { #(#visits)* }
            }
            impl<S: bristle_kernel::Real, #inner> bristle_kernel::Start<#inner> for #ty<S #l> {
                fn start(inner: #inner) -> Self { let _ = &inner; Self { #(#starts),* } }
            }
            impl #check_l bristle_kernel::Check for #ty<f64 #l> {
                fn check(
                    &self,
                    group: bristle_kernel::Group,
                    report: &mut dyn FnMut(bristle_kernel::Fault),
                ) { let _ = (group, &report); #own #inner_check }
            }
            impl<S: bristle_kernel::Real #cast_l> bristle_kernel::Cast<S> for #ty<S #l> {
                type Over<T: bristle_kernel::Real> = #ty<T #over_l>;
                fn cast<T: bristle_kernel::Real>(
                    &self,
                    f: &mut impl FnMut(S) -> T,
                ) -> Self::Over<T> { #ty { #(#casts),* } }
            }
            impl<S: bristle_kernel::Real #l> bristle_kernel::Model for #ty<S #l> {
                const NAME: &'static str = #name;
                const INFO: &'static bristle_kernel::Info = &bristle_kernel::Info {
                    name: #name, title: #title, source: #source, doc: #doc,
                    stick: #stick, passive: #passive, law: #law, rules: #rules,
                    nested: #nested_name, params: PARAMS,
                };
            }
            impl<S: bristle_kernel::Real #l> #ty<S #l> {
                /// The parameter table, in declaration order.
                pub const PARAMS: &'static [bristle_kernel::Param] = PARAMS;
            }
        };
    })
}

/// `#[params(…)]` on the struct.
struct Whole {
    name: LitStr,
    title: LitStr,
    source: LitStr,
    stick: LitStr,
    passive: LitStr,
    law: LitStr,
    rules: LitStr,
    check: Option<Path>,
    /// What the check asks of the nested model, as `Trait` for `L: Trait<f64>`.
    over: Option<Path>,
}

impl Whole {
    fn read(input: &DeriveInput) -> Result<Self> {
        let (mut name, mut title, mut source) = (None, None, None);
        let (mut check, mut over) = (None, None);
        let (mut stick, mut passive, mut law, mut rules) = (None, None, None, None);
        for attr in input.attrs.iter().filter(|a| a.path().is_ident("params")) {
            attr.parse_nested_meta(|m| {
                let slot = match m.path.require_ident()?.to_string().as_str() {
                    "name" => &mut name,
                    "title" => &mut title,
                    "source" => &mut source,
                    "stick" => &mut stick,
                    "passive" => &mut passive,
                    "law" => &mut law,
                    "rules" => &mut rules,
                    "check" => {
                        check = Some(m.value()?.parse()?);
                        return Ok(());
                    }
                    "over" => {
                        over = Some(m.value()?.parse()?);
                        return Ok(());
                    }
                    _ => {
                        return Err(m.error(
                            "expected `name`, `title`, `source`, `stick`, `passive`, `law`, `rules`, \
                             `check` or `over`",
                        ));
                    }
                };
                *slot = Some(m.value()?.parse::<LitStr>()?);
                Ok(())
            })?;
        }
        let need = |slot: Option<LitStr>, what| {
            slot.ok_or_else(|| {
                Error::new_spanned(&input.ident, format!("#[params({what} = \"...\")] is missing"))
            })
        };
        let empty = |slot: Option<LitStr>| slot.unwrap_or(LitStr::new("", input.ident.span()));
        Ok(Whole {
            name: need(name, "name")?,
            title: need(title, "title")?,
            source: need(source, "source")?,
            stick: empty(stick),
            passive: empty(passive),
            law: empty(law),
            rules: empty(rules),
            check,
            over,
        })
    }
}

/// `#[param(…)]` on a field.
#[derive(Default)]
struct One {
    nested: bool,
    list: bool,
    shares: bool,
    choice: bool,
    unit: Option<LitStr>,
    absolute: Option<LitStr>,
    start: Option<Expr>,
    range: Option<LitStr>,
    eq: Option<LitStr>,
}

/// One row of the table, and how the struct's code reaches the field.
struct Row {
    table: Tokens,
    access: Tokens,
    start: Tokens,
}

impl One {
    fn read(field: &Field) -> Result<Self> {
        let mut one = One::default();
        for attr in field.attrs.iter().filter(|a| a.path().is_ident("param")) {
            attr.parse_nested_meta(|m| {
                match m.path.require_ident()?.to_string().as_str() {
                    "nested" => one.nested = true,
                    "list" => one.list = true,
                    "shares" => (one.list, one.shares) = (true, true),
                    "choice" => one.choice = true,
                    "unit" => one.unit = Some(m.value()?.parse()?),
                    "absolute" => one.absolute = Some(m.value()?.parse()?),
                    "start" => one.start = Some(m.value()?.parse()?),
                    "range" => one.range = Some(m.value()?.parse()?),
                    "eq" => one.eq = Some(m.value()?.parse()?),
                    _ => {
                        return Err(m.error(
                            "expected `unit`, `absolute`, `start`, `range`, `eq`, `list`, `shares`, \
                             `choice` or `nested`",
                        ));
                    }
                }
                Ok(())
            })?;
        }
        Ok(one)
    }

    fn row(&self, name: &str, field: &Field) -> Result<Row> {
        let missing = |what| Error::new_spanned(field, format!("`{name}` has no {what}"));
        let start = self.start.as_ref().ok_or_else(|| missing("start value"))?;
        let eq = self.eq.as_ref().ok_or_else(|| missing("equation"))?;
        let meaning = doc(&field.attrs).ok_or_else(|| missing("doc comment"))?;
        let meaning = meaning.trim_end_matches('.');
        let fieldty = &field.ty;
        let (kind, unit, access, value) = if self.choice {
            (
                quote! { bristle_kernel::Kind::Choice {
                    start: <#fieldty as bristle_kernel::Choice>::NAMES[#start as usize],
                    options: <#fieldty as bristle_kernel::Choice>::NAMES,
                    meanings: <#fieldty as bristle_kernel::Choice>::MEANINGS,
                } },
                quote!(""),
                quote!(Choice),
                quote!(#start),
            )
        } else {
            let unit = self.unit.as_ref().ok_or_else(|| missing("unit"))?;
            let range = range(self.range.as_ref().ok_or_else(|| missing("range"))?)?;
            let (access, value) = if self.list {
                (quote!(List), quote!((#start).into_iter().map(S::from).collect()))
            } else {
                (quote!(Number), quote!(S::from(#start)))
            };
            let start = if self.list { quote!(&#start) } else { quote!(#start) };
            let shares = self.shares;
            let kind = match self.list {
                true => {
                    quote! { bristle_kernel::Kind::List { start: #start, range: #range, shares: #shares } }
                }
                false => quote! { bristle_kernel::Kind::Number { start: #start, range: #range } },
            };
            (kind, quote!(#unit), access, value)
        };
        let absolute = match &self.absolute {
            Some(a) => quote!(Some(#a)),
            None => quote!(None),
        };
        let table = quote! {
            bristle_kernel::Param {
                name: #name, unit: #unit, absolute: #absolute, kind: #kind,
                meaning: #meaning, equation: #eq,
            }
        };
        Ok(Row { table, access, start: value })
    }
}

/// `"(0, inf)"`, `"[0, 1]"`, … as a constant.
fn range(text: &LitStr) -> Result<Tokens> {
    let wrong = || Error::new_spanned(text, "a range reads like \"(0, inf)\" or \"[0, 1]\"");
    let value = text.value();
    let value = value.trim();
    let lo_open = value.starts_with('(');
    let hi_open = value.ends_with(')');
    let inner = value.get(1..value.len().saturating_sub(1)).ok_or_else(wrong)?;
    let (lo, hi) = inner.split_once(',').ok_or_else(wrong)?;
    let number = |t: &str| match t.trim() {
        "inf" => Ok(quote!(f64::INFINITY)),
        "-inf" => Ok(quote!(f64::NEG_INFINITY)),
        t => t.parse::<f64>().map(|x| quote!(#x)).map_err(|_| wrong()),
    };
    let (lo, hi) = (number(lo)?, number(hi)?);
    Ok(quote! {
        bristle_kernel::Range { lo: #lo, hi: #hi, lo_open: #lo_open, hi_open: #hi_open }
    })
}

/// The doc comment, its lines joined by newlines.
fn doc(attrs: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attrs
        .iter()
        .filter_map(|a| match &a.meta {
            syn::Meta::NameValue(nv) if nv.path.is_ident("doc") => match &nv.value {
                Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(s), .. }) => {
                    Some(s.value().strip_prefix(' ').unwrap_or(&s.value()).trim_end().to_owned())
                }
                _ => None,
            },
            _ => None,
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n").trim().to_owned())
}
