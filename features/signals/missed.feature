@contract
Feature: Signals that no wait consumes

  Rule: The sender gets a notice immediately

    Scenario: a signal with a similar name gets a suggestion
      When I submit the script "approve.sh":
        """
        svc wait-signal approval
        """
      Then the run waits for "signal" "approval"
      When I call "svc signal {run} aproval --payload 1 --idempotency-key once"
      Then it exits with 0
      And standard error has "Queued signal aproval: nothing in {run} is waiting for it"
      And standard error has "did you mean approval?"
      And standard error has "svc signal {run} approval"
      When I call "svc signal {run} aproval --payload 1 --idempotency-key once --json"
      Then standard output is JSON whose "state" is "queued"
      And standard output is JSON whose "waits_for.0" is "approval"
      When I call "svc explain {run}"
      Then standard output matches "is waiting for the signal approval\. aproval was sent .* ago, and nothing waits for that name\."
      When I call "svc signals {run} --json"
      Then standard output is JSON whose "signals.0.name" is "aproval"
      And standard output is JSON whose "signals.0.state" is "queued"
      When I call "svc signal {run} approval --payload 2"
      Then standard error has "Sent signal approval to {run}"
      And the run succeeds
      And the log is:
        """
        2
        """
      When I call "svc explain {run}"
      Then standard output has "One signal was sent that no wait has consumed: aproval."
      When I call "svc signals {run} --state taken --json"
      Then standard output is JSON whose "signals.0.name" is "approval"
      And standard output is JSON whose "signals.length" is "1"

    @store
    Scenario: a script that does not wait yet receives the signal later
      Given a gate "go"
      When I submit the script "later.sh":
        """
        read -r _ < {folder}/go
        svc wait-signal ready
        """
      And I call "svc signal {run} ready"
      Then standard error has "Queued signal ready: nothing in {run} is waiting for it"
      When I call "svc signals {run}"
      Then standard output matches "ready +queued"
      When I open the gate "go"
      Then the run succeeds
      When I call "svc signals {run}"
      Then standard output matches "ready +taken"

    @store
    Scenario: a run's signals are listed in pages, and only in its project
      When I submit the script "queue.sh":
        """
        svc wait-signal never
        """
      Then the run waits for "signal" "never"
      When I send the signal "a" with "1"
      And I send the signal "b" with "1"
      And I send the signal "c" with "1"
      And I walk "{scoped}/runs/{run}/signals" in pages of 2 of "signals"
      Then the pages hold "2 1" entries
      When I send "GET" to "{scoped}/runs/run_00000000000000000000000000/signals"
      Then the answer is 404 with code "not_found"
      When I send "GET" to "{scoped}/runs/{run}/signals?state=lost"
      Then the answer is 400 with code "invalid_request"
      When I cancel the run because "enough"
      Then the run is "cancelled"
