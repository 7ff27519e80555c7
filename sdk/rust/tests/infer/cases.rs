//! The Python signatures of the vectors, translated to Rust by hand, and the
//! reason for each that has no translation.

use toolstile_sdk::{Tool, ToolDefinition};

use crate::difference::Difference::{self, *};
use crate::signatures;

/// What became of one vector in Rust.
pub(crate) enum Translation {
    /// A tool that differs in nothing but what is listed.
    Same(fn() -> ToolDefinition, &'static [Difference]),
    /// Python refuses it, Rust has a schema for it.
    AcceptedHere(fn() -> ToolDefinition, &'static str),
    /// The compiler refuses it, as the named case of `tests/ui/fail` pins.
    DoesNotCompile(&'static str, &'static str),
    /// There is no such thing in Rust.
    NotInRust(&'static str),
}

use Translation::{AcceptedHere, DoesNotCompile, NotInRust, Same};

const UNDOCUMENTED: &[Difference] = &[DescriptionNeeded, NoEmptyDescriptions];

fn tool<T: Tool + Default>() -> ToolDefinition {
    T::default().definition()
}

/// One translation for each vector, by the number in its `id`.
pub(crate) const TRANSLATIONS: &[(u32, Translation)] = &[
    (0, Same(tool::<signatures::documented::f>, &[])),
    (2, Same(tool::<signatures::scalars::f>, &[DescriptionNeeded, NoEmptyDescriptions, Bounds])),
    (3, Same(tool::<signatures::bare::f>, &[DescriptionNeeded, NoEmptyDescriptions, Elements])),
    (4, Same(tool::<signatures::list::f>, &[DescriptionNeeded, NoEmptyDescriptions, Elements])),
    (5, Same(tool::<signatures::map::f>, &[DescriptionNeeded, NoEmptyDescriptions, Elements])),
    (6, Same(tool::<signatures::tuple::f>, &[DescriptionNeeded, NoEmptyDescriptions, Elements])),
    (7, Same(tool::<signatures::typing::f>, &[DescriptionNeeded, NoEmptyDescriptions, Elements])),
    (9, Same(tool::<signatures::option::f>, &[DescriptionNeeded, NoEmptyDescriptions, Nullable])),
    (10, Same(tool::<signatures::option_integer::f>, OPTIONAL_INTEGER)),
    (11, DoesNotCompile("default", "an `Option` with a default can never be `None`")),
    (13, Same(tool::<signatures::default_text::f>, UNDOCUMENTED)),
    (14, Same(tool::<signatures::default_false::f>, UNDOCUMENTED)),
    (15, Same(tool::<signatures::default_zero::f>, INTEGER)),
    (17, DoesNotCompile("default_type", "a default has the type of its parameter")),
    (18, Same(tool::<signatures::annotated::f>, &[NoEmptyDescriptions, Bounds])),
    (19, Same(tool::<signatures::annotated_and_listed::f>, &[])),
    (20, NotInRust("types carry no metadata")),
    (21, Same(tool::<signatures::option_described::f>, &[DescriptionNeeded, Nullable])),
    (22, NotInRust("a type inside an `Option` carries no annotation")),
    (23, AcceptedHere(tool::<signatures::words::f>, "an enum is a list of words")),
    (24, AcceptedHere(tool::<signatures::union::f>, "an untagged enum is a choice")),
    (25, AcceptedHere(tool::<signatures::any::f>, "`Value` is any JSON")),
    (28, DoesNotCompile("types", "an interface is no type; the element type is kept by `Vec`")),
    (29, DoesNotCompile("bounds", "a type has a schema only if it derives one")),
    (31, DoesNotCompile("missing_type", "every parameter has a type")),
    (32, DoesNotCompile("missing_type", "every parameter has a type")),
    (33, DoesNotCompile("signature", "a tool has a fixed list of arguments")),
    (36, Same(tool::<signatures::two::f>, INTEGER)),
    (37, Same(tool::<signatures::none::f>, &[])),
    (38, DoesNotCompile("signature", "`self` is refused instead of skipped")),
    (39, NotInRust("a type is not written as text")),
    (41, DoesNotCompile("description", "a tool without a description is a defect")),
    (42, Same(tool::<signatures::paragraphs::f>, &[AllParagraphs, NoEmptyDescriptions])),
    (44, Same(tool::<signatures::continued::f>, &[Bounds])),
    (45, Same(tool::<signatures::parameters_heading::f>, &[])),
    (46, Same(tool::<signatures::numpy::f>, &[AllParagraphs, NoEmptyDescriptions])),
    (47, Same(tool::<signatures::sphinx::f>, &[AllParagraphs, NoEmptyDescriptions])),
    (48, Same(tool::<signatures::chinese::f>, &[Bounds])),
    (49, DoesNotCompile("description", "an entry for no parameter is a slip of the pen")),
    (50, DoesNotCompile("name", "a name that the contract does not allow")),
    (51, DoesNotCompile("signature", "the host waits for a tool; nothing in it is async")),
    (52, AcceptedHere(tool::<signatures::nested::f>, "a struct is an object")),
    (53, AcceptedHere(tool::<signatures::nested::f>, "a struct is an object")),
    (55, Same(tool::<signatures::reserved::f>, UNDOCUMENTED)),
];

const INTEGER: &[Difference] = &[DescriptionNeeded, NoEmptyDescriptions, Bounds];
const OPTIONAL_INTEGER: &[Difference] = &[DescriptionNeeded, NoEmptyDescriptions, Bounds, Nullable];
