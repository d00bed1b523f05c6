Feature: svc state stores durable values

  Rule: Values are written, read, listed and deleted

    @VERB-043 @VERB-044 @VERB-045 @VERB-046 @store
    Scenario: a value is set, read, listed and deleted
      When I submit the script "cells.sh":
        """
        svc state set count 1
        svc state set name "two words"
        printf 'from standard input' | svc state set text -
        svc state get name
        svc state get text
        svc state list
        svc state delete name
        code=0; svc state get name 2> {folder}/said || code=$?
        echo "code $code"
        svc state list
        """
      Then the run succeeds
      And the log is:
        """
        two words
        from standard input
        count
        name
        text
        code 1
        count
        text
        """

    @VERB-043 @VERB-044
    Scenario: a replay returns the recorded value without writing again
      When I submit the script "replay.sh":
        """
        echo pass >> {folder}/passes
        svc state set --entity shop counter "$(wc -l < {folder}/passes | tr -d ' ')"
        svc state get --entity shop counter >> {folder}/seen
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I send "PUT" to "{scoped}/state/shop/counter" with:
        """
        {"value": "changed meanwhile"}
        """
      And I send the signal "go" with 'null'
      Then the run succeeds
      And the file "seen" is:
        """
        1
        1
        """
      When I send "GET" to "{scoped}/state/shop/counter"
      Then "value" of the answer is "changed meanwhile"
