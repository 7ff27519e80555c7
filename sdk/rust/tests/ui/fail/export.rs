//! Items of `export!` that are no tools, or are there twice.

mod listed_twice {
    use toolstile_sdk::{export, tool};

    /// Answers `pong`.
    #[tool]
    fn ping() -> &'static str {
        "pong"
    }

    export!(ping, ping);
}

mod no_tool {
    use toolstile_sdk::export;

    #[derive(Default)]
    struct Plain;

    export!(Plain);
}

mod plain_function {
    use toolstile_sdk::export;

    fn plain() -> &'static str {
        "pong"
    }

    export!(plain);
}

fn main() {}
