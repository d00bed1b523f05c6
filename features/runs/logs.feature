@contract
Feature: Reading a log

  Rule: A log can be read in part

    Background:
      Given a file "job.sh":
        """
        echo begun
        svc step build -- bash -c 'echo compiling >&2; sleep 0.1; echo error: one >&2'
        svc step test -- bash -c 'echo testing >&2; sleep 0.1; echo error: two >&2'
        svc wait-signal go > go.txt
        echo over
        """
      When I submit "job.sh" with the CLI as "it"
      Then the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then the run succeeds

    Scenario Outline: svc logs prints <what>
      When I call "svc logs {run} <flags>"
      Then it exits with 0
      And it printed the lines "<lines>"

      Examples:
        | what                           | flags                          | lines                         |
        | the last lines                 | --tail 2                       | begun, over                   |
        | lines with a text              | --grep error                   | error: one, error: two        |
        | the last line with a text      | --grep error --tail 1          | error: two                    |
        | the last pass                  | --pass last                    | begun, over                   |
        | one pass by its number         | --pass 1 --grep un             | begun                         |
        | one step                       | --step build                   | compiling, error: one         |
        | one site                       | --step test#0                  | testing, error: two           |
        | no such step                   | --step deploy                  | no lines of deploy; svc steps lists them |
        | a part of a part               | --step build --tail 1          | error: one                    |
        | the last lines, followed       | --follow --tail 2              | begun, over                   |
        | one pass, followed             | --follow --pass last           | begun, over                   |
        | one step, followed             | --follow --step build          | compiling, error: one         |
        | lines with a text, followed    | --follow --grep error          | error: one, error: two        |

    Scenario Outline: lines are printed as JSON, <how>
      When I call "svc logs {run} <flags> --step test"
      Then it exits with 0
      And the first line of standard output is JSON with "stream=stderr, site=test#0, pass=1, text=testing"
      When I call "svc logs {run} <flags> --tail 1"
      Then the first line of standard output is JSON with "stream=stdout, pass=2, site=undefined, text=over"

      Examples:
        | how       | flags           |
        | as stored | --json          |
        | followed  | --json --follow |

    Scenario Outline: <flags> is rejected
      When I call "svc logs {run} <flags>"
      Then it exits with 2
      And standard error has "<says>"

      Examples:
        | flags         | says                                             |
        | --pass first  | it must be last, all or the number of a pass     |
        | --pass 0      | it must be last, all or the number of a pass     |
        | --tail -1     | it must be a whole number from 0 to 999999       |
        | --exit-status | --exit-status needs --follow                     |

    Scenario Outline: a request with <query> is rejected
      When I send "GET" to "{scoped}/runs/{run}/logs?<query>"
      Then the answer is 400 with code "invalid_request"

      Examples:
        | query               |
        | tail=x              |
        | pass=0              |
        | format=xml          |
        | follow=true&grep=a  |

  Rule: A follower sees the outcome, and can stop following earlier

    Scenario: --exit-status returns the run's outcome as the exit code
      When I submit the script "job.sh":
        """
        echo no; exit 3
        """
      Then the run is "failed"
      When I call "svc logs {run} --follow"
      Then it exits with 0
      When I call "svc logs {run} --follow --exit-status"
      Then it exits with 1
      And standard output is "no"

    Scenario: interrupting svc logs --follow does not interrupt the run
      When I submit the script "job.sh":
        """
        echo here
        svc wait-signal go > go.txt
        """
      Then the run waits for "signal" "go"
      When I start "svc logs {run} --follow" as "follower"
      Then "follower" says "here"
      When "follower" gets the signal "SIGINT"
      Then "follower" ends with 130
      And the log of "follower" has "{run} continues; `svc logs {run} --follow` follows it again"
      And the log of "follower" has "`svc cancel {run}` ends it"
      When I send the signal "go" with "null"
      Then the run succeeds
