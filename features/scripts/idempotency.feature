Feature: Every step has a unique idempotency key

  Rule: A step keeps its key, no matter how often its command runs

    @SCR-030
    Scenario: a command that was killed runs again with the same key
      Given a gate "never opened"
      When I submit the script "again.sh":
        """
        echo "$$" > {folder}/script
        svc step before -- true
        svc step pay -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys
          [ "$(wc -l < {folder}/keys)" -lt 3 ] || exit 0
          kill -9 "$(cat {folder}/script)"
          read -r _ < "{folder}/never opened"'
        """
      Then the run succeeds
      And the file "keys" has 3 lines
      And the file "keys" has 1 different line
      And 2 steps are recorded

    @contract
    Scenario: no two steps share a key, within one run or across runs
      When I submit the script "first.sh":
        """
        for name in pay pay send; do svc step "$name" -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'; done
        """
      Then the run succeeds
      When I submit the script "first.sh":
        """
        for name in pay pay send; do svc step "$name" -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'; done
        """
      Then the run succeeds
      And the file "keys" has 6 different lines
