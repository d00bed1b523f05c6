@contract
Feature: Many runs are cancelled and rerun with a filter

  Rule: The runs are shown first, and nothing is done without confirmation

    @store
    Scenario: runs of one workflow are cancelled, and others continue
      When I submit the script "wrong.sh" as "one":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I submit the script "wrong.sh" as "two":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I submit the script "right.sh" as "other":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I call "svc runs cancel --workflow wrong.sh"
      Then it exits with 0
      And standard output matches "waiting \(signal go\) +wrong\.sh"
      And standard error has "nothing was done: add --yes to cancel 2 runs"
      When I call "svc runs cancel --workflow wrong.sh --reason typo --yes --json"
      Then it exits with 0
      And standard output is JSON whose "runs.1.outcome" is "cancelled"
      And standard error has "2 runs: 2 cancelled"
      When I call "svc runs ls --status cancelled --json"
      Then standard output is JSON whose "runs.1.reason" is "typo"
      And standard output is JSON whose "runs.length" is "2"
      When I call "svc runs cancel --workflow wrong.sh --yes"
      Then it exits with 0
      And standard error has "no runs to cancel"
      When I send the signal "go" with "null"
      Then the run succeeds

    @store
    Scenario: failed runs are rerun once, no matter how often the command is called
      Given a file "fail.sh":
        """
        test -e {folder}/mended
        """
      When I submit "fail.sh --tag batch:1" with the CLI as "first"
      Then the run fails with code "script_failed"
      Given the run id of "first" is noted as "first"
      And a file "mended":
        """
        yes
        """
      When I call "svc runs rerun --tag batch:1 --yes --json"
      Then it exits with 0
      And standard output is JSON whose "runs.0.run_id" is "{first}"
      And standard output is JSON whose "runs.0.outcome" is "rerun as"
      When I call "svc status @last --wait 60s"
      Then it exits with 0
      When I call "svc runs rerun --tag batch:1 --yes --json"
      Then standard output is JSON whose "runs.0.run_id" is "{first}"
      And standard output is JSON whose "runs.0.outcome" is "already rerun as"
      When I call "svc runs rerun --tag batch:1 --again --yes --json"
      Then standard output is JSON whose "runs.0.outcome" is "rerun as"
      When I call "svc status @last --wait 60s"
      Then it exits with 0
      When I call "svc runs ls --tag batch:1 --json"
      Then standard output is JSON whose "runs.0.rerun_of" is "{first}"
      And standard output is JSON whose "runs.1.rerun_of" is "{first}"
      And standard output is JSON whose "runs.length" is "3"

    Scenario Outline: <what> is rejected
      When I call "svc runs <words>"
      Then it exits with 2
      And standard error has "<says>"

      Examples:
        | what                        | words                            | says                                 |
        | a cancel of everything      | cancel --yes                     | no runs are selected                 |
        | a rerun of what still runs  | rerun --status waiting --yes     | --status waiting does not apply to this command     |
        | a cancel of what is over    | cancel --status failed           | it takes queued, running, waiting    |
