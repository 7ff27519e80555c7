//! SerpAPI: JSON made of Google's page, whose answer box has one of two forms.

use super::json::{Shape, plain};

pub(super) const SHAPE: Shape = Shape {
    answers: &["/answer_box/answer", "/answer_box/snippet"],
    results: "/organic_results",
    title: "title",
    snippet: "snippet",
    url: "link",
    prose: plain,
};
