//! The words that `shell` answers with.

toolstile_sdk::texts! {
    /// The program exited.
    EXITED = "exited": "[exit code {code}]";
    /// A signal ended the program.
    SIGNALLED = "signalled": "[ended by signal {signal}]";
    /// The program took too long. What it wrote until then follows.
    TIMED_OUT = "timed_out": "[timed out: the program was ended, with what it had started]";
    /// The program wrote more than the host takes. The beginning follows.
    OUTPUT_LIMIT = "output_limit": "[too much output: the program was ended]";
    /// Stands above the standard output.
    STDOUT = "stdout": "stdout:";
    /// Stands above the standard error.
    STDERR = "stderr": "stderr:";
    /// The program wrote nothing.
    NO_OUTPUT = "no_output": "(no output)";
    /// Stands below output that was cut to the limit of one answer.
    CUT = "cut": "[cut: the first {shown} of {total} characters]";
    /// Stands at the end where the host dropped output.
    DROPPED = "dropped": "[more output was dropped]";
}
