//! The words that `notes` answers with.

toolstile_sdk::texts! {
    /// A note that is not there: no failure, since the model may begin it.
    MISSING = "missing": "There is no note `{path}` yet. Appending to it creates it.";
    /// Stands below a note that was cut.
    CUT = "cut": "[cut: the first {shown} of {total} characters]";
    /// What an append did.
    APPENDED = "appended": "Appended {characters} characters to `{path}`.";
    /// An append without content.
    BLANK = "blank": "there is nothing to append: `content` has to hold more than white space";
    /// An append beyond the limit.
    TOO_LONG = "too_long": "`content` has {characters} characters, at most {max} can be appended at once: split it into several calls";
    /// What the family of all notes is.
    TEMPLATE = "template": "A note, by its path in the folder of notes.";
    /// A resource that is not there.
    NO_NOTE = "no_note": "there is no note `{uri}`";
}
