Feature: svc sleep waits without a process

  Rule: A sleeping run has no process and later starts from the top

    @VERB-008 @SCR-016 @store
    Scenario: a sleeping script has no process until it wakes
      When I submit the script "nap.sh":
        """
        echo "$$" >> {folder}/passes
        svc sleep 1h
        """
      Then the run waits for "sleep" ""
      And the processes of the file "passes" are gone
      And the file "passes" has 1 line
      When I cancel the run because "an hour is long"
      Then the run is "cancelled"

    @VERB-008 @SCR-016
    Scenario: after the sleep, the script starts from the top and continues
      When I submit the script "nap.sh":
        """
        echo "$$" >> {folder}/passes
        svc sleep 300ms
        echo awake
        """
      Then the run succeeds
      And the record of "sleep#0" took 300 ms or more
      And the file "passes" has 2 different lines
      And the log is:
        """
        awake
        """

  Rule: Durations are written with a unit

    @VERB-009 @VERB-010 @VERB-011 @VERB-012
    Scenario: a sleep can last seconds, minutes, hours or days
      When I submit the script "5s.sh" as "seconds":
        """
        svc sleep 5s
        """
      And I submit the script "1m.sh" as "minutes":
        """
        svc sleep 1m
        """
      And I submit the script "2h.sh" as "hours":
        """
        svc sleep 2h
        """
      And I submit the script "30d.sh" as "days":
        """
        svc sleep 30d
        """
      Then the runs wait for so long, and are cancelled:
        | run     | seconds |
        | seconds | 5       |
        | minutes | 60      |
        | hours   | 7200    |
        | days    | 2592000 |

    @contract
    Scenario Outline: <text> is not a duration
      When I submit the script "wrong.sh":
        """
        code=0; svc sleep "<text>" || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log has "code 2"
      And 0 steps are recorded

      Examples:
        | text |
        | soon |
        | -5s  |
        | 5    |
