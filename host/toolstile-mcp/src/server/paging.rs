//! Pages of a list. Short lists have one page; a cursor of a longer one is bound to the
//! list as it was, and refused when it has changed.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// Items of one page.
const PAGE: usize = 200;

/// A page: its items, and the cursor of the next.
pub(crate) type Page<T> = (Vec<T>, Option<String>);

/// The page that a request asks for. `revision` tells one state of the list from another.
///
/// # Errors
/// `-32602` for a cursor that was not given out for this state of the list.
pub(crate) fn page<T>(
    items: Vec<T>,
    request: Option<&PaginatedRequestParams>,
    revision: u64,
) -> Result<Page<T>, ErrorData> {
    let cursor = request.and_then(|request| request.cursor.as_deref());
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            offset(cursor, revision).filter(|start| *start < items.len()).ok_or_else(|| {
                ErrorData::invalid_params("the cursor is not valid any more; list again", None)
            })?
        }
    };
    let next = start + PAGE;
    let cursor = (next < items.len()).then(|| format!("{revision}.{next}"));
    Ok((items.into_iter().skip(start).take(PAGE).collect(), cursor))
}

fn offset(cursor: &str, revision: u64) -> Option<usize> {
    let (of, start) = cursor.split_once('.')?;
    (of == revision.to_string()).then(|| start.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(cursor: &str) -> PaginatedRequestParams {
        PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()))
    }

    #[test]
    fn a_cursor_is_good_for_one_state_of_the_list() {
        let items: Vec<usize> = (0..450).collect();
        let (first, cursor) = page(items.clone(), None, 7).unwrap();
        assert_eq!((first.len(), cursor.as_deref()), (200, Some("7.200")));
        let (last, end) = page(items.clone(), Some(&after("7.400")), 7).unwrap();
        assert_eq!((last.len(), end), (50, None));
        for bad in ["8.200", "7.450", "7.x", "7", ""] {
            assert!(page(items.clone(), Some(&after(bad)), 7).is_err(), "{bad}");
        }
        assert_eq!(page(vec![1], None, 7).unwrap(), (vec![1], None));
    }
}
