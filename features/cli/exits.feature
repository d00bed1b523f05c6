@contract
Feature: Exit codes of commands

  Rule: Exit code 2 is a usage error, and the message explains what to do

    Scenario Outline: svc exits with 2: <what>
      Given a file "good.sh":
        """
        true
        """
      When I call "<line>"
      Then it exits with 2
      And standard output is ""
      And standard error has '<says>'
      And standard error has "→ "

      Examples:
        | what                       | line                              | says                              |
        | an unknown command         | svc launch                        | unknown command "launch"      |
        | a misspelt command         | svc sumbit good.sh                | did you mean `svc submit`?        |
        | an unknown second word     | svc runs lst                      | unknown command "runs lst"    |
        | an unknown flag            | svc submit good.sh --folow        | unknown flag --folow                |
        | a misspelt flag            | svc submit good.sh --folow        | did you mean --follow?                   |
        | another word for set       | svc handler create report r.sh    | did you mean `svc handler set`?          |
        | a misspelt second word     | svc handler shwo report           | did you mean `svc handler show`?         |
        | an unknown short flag      | svc submit good.sh -x             | unknown flag -x                     |
        | a flag without its value   | svc submit good.sh --tag          | --tag needs a value               |
        | a switch with a value      | svc submit good.sh --follow=yes   | --follow takes no value           |
        | a value that is no number  | svc runs ls --limit many          | it must be a whole number           |
        | a value out of its choices | svc runs ls --status lost         | it must be one of queued, running |
        | too few arguments          | svc signal run_1                  | <name> is missing                 |
        | an argument of nothing     | svc events show ''                | <event-id> is empty               |
        | too many arguments         | svc status run_1 run_2            | is an extra argument              |
        | a file that is not there   | svc submit none.sh                | there is no such file             |
        | a folder as a file         | svc submit .                      | it is a folder                    |
        | input that is not JSON      | svc submit good.sh --input {      | --input is not JSON               |
        | a variable without a value | svc submit good.sh --env COLOUR   | is not K=V                        |
        | a shell that is none       | svc completion tcsh               | unsupported shell "tcsh" |

    Scenario: svc exits with 2 for a file that is not text
      Given a file "bad.sh" of the bytes "fffe00"
      When I call "svc submit bad.sh"
      Then it exits with 2
      And standard error has "is not UTF-8 text"

  Rule: Exit code 1 means that the operation or the run failed

    Scenario: svc exits with 1 if a followed run fails
      Given a file "job.sh":
        """
        echo begun
        exit 7
        """
      When I call "svc submit job.sh --follow"
      Then it exits with 1
      And standard output is "begun"
      And standard error has "(script_failed)"

    Scenario: svc exits with 1 for an unknown run
      When I call "svc status run_00000000000000000000000000"
      Then it exits with 1
      And standard error has "(not_found)"
      And standard error has "→ "

  Rule: Exit code 3 means that the server cannot be reached

    Scenario: svc exits with 3 if no server listens at the address
      When I call "svc runs ls" with "SVC_URL" set to "http://127.0.0.1:1"
      Then it exits with 3
      And standard error has "cannot reach http://127.0.0.1:1: no server is listening at this address"
      And standard error has "→ start it"

    Scenario: svc exits with 3 for an unknown host name
      When I call "svc whoami" with "SVC_URL" set to "http://no-such-host.invalid"
      Then it exits with 3

  Rule: Exit code 4 means that the caller is not authenticated

    Scenario: svc exits with 4 for a wrong token
      When I call "svc whoami" with "SVC_TOKEN" set to "svc_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      Then it exits with 4
      And standard error has "the token comes from SVC_TOKEN"
      And standard error lacks "svc_pat_AAAA"

    Scenario: svc exits with 4 without a token
      When I call "svc whoami" with "SVC_TOKEN" set to ""
      Then it exits with 4
      And standard error has "svc login"

    Scenario: an agent exits with 4 if the server rejects it
      When I call "svc agent" with "SVC_TOKEN" set to "svc_agt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      Then it exits with 4
      And standard error has "(agent_refused)"
      And standard error has "→ Check SVC_URL"

  Rule: Exit code 124 means that a wait timed out

    Scenario: a wait in a script times out
      When I submit the script "job.sh":
        """
        svc wait-signal never --timeout 50ms 2>/dev/null || echo "code $?"
        """
      Then the run succeeds
      And the log is:
        """
        code 124
        """

  Rule: With --json, an error is JSON too

    Scenario: the error has a code, a message and a next step
      When I call "svc status run_00000000000000000000000000 --json"
      Then it exits with 1
      And standard error is JSON whose "error.code" is "not_found"
      And standard error is JSON whose "error.next" matches "\w"
