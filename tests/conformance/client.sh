#!/bin/sh
# Runs the client scenarios of the conformance suite of the Model Context Protocol against
# toolstile's client (host/toolstile-mcp/examples/conformance_client.rs). What is expected to
# fail stands with its reason in expected-failures.yml; an entry that passes fails the run.
#
#   tests/conformance/client.sh [DIRECTORY]
. "$(dirname "$0")/suite.sh"

each_revision client --command "$target/examples/conformance_client" \
    --expected-failures "$here/expected-failures.yml"
