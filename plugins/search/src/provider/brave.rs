//! Brave: JSON, whose texts are HTML.

use super::json::Shape;
use crate::html;

pub(super) const SHAPE: Shape = Shape {
    answers: &[],
    results: "/web/results",
    title: "title",
    snippet: "description",
    url: "url",
    prose: html::text,
};
