//! The words that `search` answers with.

toolstile_sdk::texts! {
    /// The first line of an answer.
    SOURCE = "source": "[source: {source}]";
    /// What the source itself concluded, above its results.
    ANSWER = "answer": "AI answer: {answer}";
    /// A query of white space.
    EMPTY_QUERY = "empty_query": "the query is empty: say what to look for";
    /// A query beyond the limit.
    LONG_QUERY = "long_query": "the query has {characters} characters, at most {max} are allowed: leave out words";
    /// Above the reason of each source.
    ALL_FAILED = "all_failed": "no source has an answer:";
    /// Above the reason of each source, where the operator granted none of them.
    NONE_GRANTED = "none_granted": "searching is not possible, the operator has granted none of its sources:";
    /// A line below one of the two.
    FAILURE = "failure": "- {source}: {reason}";
    /// Why a source failed: an HTTP status.
    STATUS = "status": "it answered with status {status}";
    /// Why a source failed: too many requests.
    RATE_LIMITED = "rate_limited": "it refuses more requests for now (status 429)";
    /// Why a source failed: it wants to see a person.
    CAPTCHA = "captcha": "it takes this for a robot and shows a captcha";
    /// Why a source failed: not the form its answers have.
    UNREADABLE = "unreadable": "its answer cannot be read";
    /// Why a source failed: it found nothing.
    NO_RESULTS = "no_results": "no results";
}
