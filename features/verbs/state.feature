Feature: svc state keeps values in durable cells

  Rule: cells are written, read, listed and deleted

    @VERB-043 @VERB-044 @VERB-045 @VERB-046
    Scenario: one cell from its beginning to its end
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
    Scenario: a pass that comes again is told what the cell held then, and writes nothing again
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

  Rule: without an entity a cell is the run's, with one it is the project's

    @VERB-047
    Scenario: two runs do not see each other's cells
      When I submit the script "first.sh":
        """
        svc state set colour red
        svc state get colour
        """
      Then the run succeeds
      When I submit the script "second.sh":
        """
        code=0; svc state get colour 2> {folder}/said || code=$?
        echo "code $code"
        svc state list
        """
      Then the run succeeds
      And the log is:
        """
        code 1
        """

    @VERB-048
    Scenario: an entity is shared by the runs of a project and by nobody else
      When I submit the script "first.sh":
        """
        svc state set --entity shop colour red
        svc state set --entity other size small
        """
      Then the run succeeds
      When I submit the script "second.sh":
        """
        svc state get --entity shop colour
        svc state list --entity shop
        svc state delete --entity other size
        """
      Then the run succeeds
      And the log is:
        """
        red
        colour
        """
      When I send "GET" to "{scoped}/state/other/size"
      Then the answer is 404 with code "not_found"
      When I work in another project
      And I submit the script "stranger.sh":
        """
        svc state list --entity shop
        """
      Then the run succeeds
      And the log is:
        """
        """
