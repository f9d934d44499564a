//! `#[derive(Limits)]` writes the checks of single values that the attributes of their JSON Schema declare, so that the
//! schema and the checks cannot differ.
//!
//! It reads `#[schemars(...)]`: `range(min, max)` and `length(min, max)` of a field, both of its elements in `inner(...)`,
//! and of `extend(...)` the keys `exclusiveMinimum`, `exclusiveMaximum`, `x-unit`, `x-hint` and `x-transport`.

mod attributes;

use attributes::{Attributes, Bounds};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

/// Implements `Limits` for a table of settings, or for an enumeration of them.
#[proc_macro_derive(Limits, attributes(schemars))]
pub fn limits(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    implementation(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn implementation(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let (body, foreign) = match &input.data {
        Data::Struct(data) => {
            let names = data.fields.iter().map(|field| &field.ident);
            let checks = checks(&data.fields)?;
            let foreign = foreign(&Attributes::parse(&input.attrs)?, &data.fields)?;
            (quote!(let Self { #(#names),* } = self; #checks), foreign)
        }
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let kind = &variant.ident;
                let names = variant.fields.iter().map(|field| &field.ident);
                Ok(match &variant.fields {
                    Fields::Unit => quote!(Self::#kind => {}),
                    Fields::Unnamed(_) => quote!(Self::#kind(table) => table.find_problems(found),),
                    Fields::Named(_) => {
                        let checks = checks(&variant.fields)?;
                        quote!(Self::#kind { #(#names),* } => { #checks })
                    }
                })
            });
            let arms = arms.collect::<Result<Vec<_>>>()?;
            (quote!(match self { #(#arms)* }), TokenStream::new())
        }
        Data::Union(_) => return Err(Error::new_spanned(name, "a union has no settings")),
    };
    Ok(quote! {
        impl crate::Limits for #name {
            fn find_problems(&self, found: &mut Vec<crate::Problem>) {
                #body
            }
            #foreign
        }
    })
}

/// The checks of fields that are bound to variables of their names.
fn checks(fields: &Fields) -> Result<TokenStream> {
    let checks = fields.iter().map(|field| {
        let attributes = Attributes::parse(&field.attrs)?;
        let (name, key) = (&field.ident, key_of(field));
        let own = check(&attributes.bounds, &key, &quote!(#key), &quote!(#name), &attributes);
        let of_elements = check(&attributes.inner, &key, &quote!(index), &quote!(element), &attributes);
        let of_elements = (!of_elements.is_empty()).then(|| {
            let each = quote!(for (index, element) in crate::limits::List::elements(#name).iter().enumerate() { #of_elements });
            quote!(crate::limits::under(found, #key, |found| #each);)
        });
        let nested = quote!(crate::limits::under(found, #key, |found| crate::Limits::find_problems(#name, found)););
        Ok(quote!(#own #of_elements #nested))
    });
    Ok(checks.collect::<Result<Vec<_>>>()?.into_iter().collect())
}

fn check(bounds: &Bounds, name: &str, step: &TokenStream, value: &TokenStream, attributes: &Attributes) -> TokenStream {
    let (unit, hint) = (attributes.text("x-unit"), attributes.text("x-hint"));
    let [min, above, max, below] = [&bounds.min, &bounds.above, &bounds.max, &bounds.below].map(optional);
    let [shortest, longest] = [&bounds.shortest, &bounds.longest].map(optional);
    let range = bounds.is_range().then(|| {
        let range = quote!(crate::limits::Range { min: #min, above: #above, max: #max, below: #below });
        let words = quote!(crate::limits::Words { name: #name, unit: #unit, hint: #hint });
        quote!(crate::limits::check_range(found, #step, #value, &#range, &#words);)
    });
    let length = bounds
        .is_length()
        .then(|| quote!(crate::limits::check_length(found, #step, #value, (#shortest, #longest), #hint);));
    quote!(#range #length)
}

/// Which setting of one transport's table differs from its default.
fn foreign(table: &Attributes, fields: &Fields) -> Result<TokenStream> {
    if table.text("x-transport").is_empty() {
        return Ok(TokenStream::new());
    }
    let mut comparisons = TokenStream::new();
    for field in fields {
        if Attributes::parse(&field.attrs)?.text("x-transport").is_empty() {
            let (name, key) = (&field.ident, key_of(field));
            comparisons.extend(quote!(if self.#name != default.#name { return Some(#key); }));
        }
    }
    let transport = table.text("x-transport");
    Ok(quote! {
        fn set_without_effect(&self, transport: &str) -> Option<&'static str> {
            if transport == #transport {
                return None;
            }
            let default = Self::default();
            #comparisons
            None
        }
    })
}

fn key_of(field: &syn::Field) -> String {
    field.ident.as_ref().expect("settings have names").to_string()
}

fn optional(value: &Option<TokenStream>) -> TokenStream {
    value.as_ref().map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}
