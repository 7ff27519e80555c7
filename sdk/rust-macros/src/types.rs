//! Which types a parameter cannot have, as far as their spelling tells. The
//! rest is for the compiler, which knows what implements what.

use syn::{Error, GenericArgument, PathArguments, PathSegment, Result, ReturnType, Type};

/// Refuses a type that JSON can never carry, naming the one to take instead.
pub(crate) fn check_parameter(ty: &Type) -> Result<()> {
    match ty {
        Type::Reference(reference) => Err(Error::new_spanned(ty, owned_instead(&reference.elem))),
        Type::ImplTrait(_) => Err(Error::new_spanned(
            ty,
            "a tool has one schema: take a concrete type instead of `impl Trait`",
        )),
        Type::TraitObject(_) | Type::Ptr(_) | Type::FnPtr(_) | Type::Slice(_) => {
            Err(Error::new_spanned(
                ty,
                "JSON cannot carry this: take a type that derives `Deserialize` and `JsonSchema`",
            ))
        }
        Type::Infer(_) => Err(Error::new_spanned(ty, "write the type: the schema is made from it")),
        _ => inner(ty).into_iter().try_for_each(check_parameter),
    }
}

/// Refuses to return a reference; `&'static str` is as good as owned.
pub(crate) fn check_return(output: &ReturnType) -> Result<()> {
    let ReturnType::Type(_, ty) = output else { return Ok(()) };
    let Type::Reference(reference) = ty.as_ref() else { return Ok(()) };
    let lasting = reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static");
    if lasting && is_named(&reference.elem, "str") {
        return Ok(());
    }
    let message = "a tool owns what it answers: return `String` or another owned type";
    Err(Error::new_spanned(ty, message))
}

/// Whether the type is written as an `Option`; an alias of one is not seen.
pub(crate) fn is_option(ty: &Type) -> bool {
    is_named(ty, "Option")
}

/// Whether the type is written as a `String`.
pub(crate) fn is_string(ty: &Type) -> bool {
    is_named(ty, "String")
}

/// Whether the type is written as a `String`, or as an `Option` of one.
pub(crate) fn is_text(ty: &Type) -> bool {
    is_string(ty) || (is_option(ty) && inner(ty).into_iter().all(is_string))
}

fn owned_instead(referenced: &Type) -> &'static str {
    match referenced {
        Type::Slice(_) => "a tool owns its arguments: take `Vec<T>` instead of `&[T]`",
        _ if is_named(referenced, "str") => {
            "a tool owns its arguments: take `String` instead of `&str`"
        }
        _ => "a tool owns its arguments: take the type itself instead of a reference",
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == name)
}

/// The types that a type is made of, one level down.
fn inner(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Array(array) => vec![&array.elem],
        Type::Group(group) => vec![&group.elem],
        Type::Paren(paren) => vec![&paren.elem],
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        Type::Path(path) => path.path.segments.iter().flat_map(generic_types).collect(),
        _ => Vec::new(),
    }
}

fn generic_types(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return Vec::new() };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}
