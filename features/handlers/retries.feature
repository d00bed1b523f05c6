@contract
Feature: Retry policies of handlers

  Rule: A handler defines how often its failed runs are rerun

    Scenario: the policy is set and shown, and invalid policies are rejected
      Given a file "receipt.sh":
        """
        true
        """
      When I call "svc handler set receipt receipt.sh --on order.paid --retry 3 --backoff 10s --backoff-max 5m"
      And I call "svc handler show receipt"
      Then standard output matches "retry +3 times, after 10s, at most 5m"
      When I call "svc handler set receipt receipt.sh --on order.paid --backoff 10s"
      Then it exits with 2
      And standard error has "--backoff needs --retry"
      When I call "svc handler set receipt receipt.sh --on order.paid --retry 3 --backoff 10m --backoff-max 5m"
      Then it exits with 1
      And standard error has "must be at least the backoff"

  Rule: Users can see when a failed run is rerun

    @store
    Scenario: svc explain shows the retry, and a manual rerun replaces it
      Given a file "strict.sh":
        """
        exit 7
        """
      When I call "svc handler set strict strict.sh --on order.audited --retry 3 --backoff 1h"
      And I call "svc emit order.audited"
      Then the run of "strict" is "failed"
      When I call "svc explain {run}"
      Then standard output matches "The handler strict runs it again at 20\S+ \(retry 1 of 3\)\."
      And standard output has "do not wait for the retry: svc rerun {run}"
      When I call "svc rerun {run}"
      Then it exits with 0
      When I call "svc explain {run}"
      Then standard output lacks "runs it again at"
