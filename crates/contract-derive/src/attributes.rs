//! The part of `#[schemars(...)]` that checks derive from.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::{parenthesized, Attribute, LitStr, Result, Token};

/// Attributes of a field or a table.
#[derive(Default)]
pub struct Attributes {
    pub bounds: Bounds,
    /// Bounds of the elements of a list.
    pub inner: Bounds,
    extensions: BTreeMap<String, TokenStream>,
}

/// Range of a number, and length of a list or a text.
#[derive(Default)]
pub struct Bounds {
    pub min: Option<TokenStream>,
    pub above: Option<TokenStream>,
    pub max: Option<TokenStream>,
    pub below: Option<TokenStream>,
    pub shortest: Option<TokenStream>,
    pub longest: Option<TokenStream>,
}

impl Attributes {
    pub fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("schemars")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("extend") {
                    let content;
                    parenthesized!(content in meta.input);
                    return parsed.parse_extensions(&content);
                }
                if meta.path.is_ident("inner") {
                    return meta.parse_nested_meta(|inner| parsed.inner.parse(&inner));
                }
                parsed.bounds.parse(&meta)
            })?;
        }
        parsed.bounds.above = parsed.extensions.remove("exclusiveMinimum");
        parsed.bounds.below = parsed.extensions.remove("exclusiveMaximum");
        Ok(parsed)
    }

    /// The text of an extension, empty without one.
    pub fn text(&self, key: &str) -> String {
        let literal = self.extensions.get(key).and_then(|value| syn::parse2::<LitStr>(value.clone()).ok());
        literal.map(|literal| literal.value()).unwrap_or_default()
    }

    /// `"key" = value, ...`; values are JSON.
    fn parse_extensions(&mut self, input: ParseStream) -> Result<()> {
        while !input.is_empty() {
            let key: LitStr = input.parse()?;
            input.parse::<Token![=]>()?;
            self.extensions.insert(key.value(), value(input)?);
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    }
}

impl Bounds {
    fn parse(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        let (min, max) = if meta.path.is_ident("range") {
            (&mut self.min, &mut self.max)
        } else if meta.path.is_ident("length") {
            (&mut self.shortest, &mut self.longest)
        } else {
            return Err(meta.error("checks know only range, length, inner and extend"));
        };
        meta.parse_nested_meta(|bound| {
            let given = if bound.path.is_ident("min") { &mut *min } else { &mut *max };
            *given = Some(value(bound.value()?)?);
            Ok(())
        })
    }

    pub fn is_range(&self) -> bool {
        [&self.min, &self.above, &self.max, &self.below].iter().any(|bound| bound.is_some())
    }

    pub fn is_length(&self) -> bool {
        self.shortest.is_some() || self.longest.is_some()
    }
}

/// All tokens up to the next comma.
fn value(input: ParseStream) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}
