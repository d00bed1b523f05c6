@contract
Feature: Retry policies of handlers

  Rule: A handler says how often its failed runs are run again

    Scenario: the policy is set and shown, and what makes no sense is rejected
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
