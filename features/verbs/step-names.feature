Feature: Names and labels of steps

  Rule: A step is identified by its name and its occurrence

    @VERB-003 @SCR-022 @SCR-023
    Scenario: each iteration of a loop has a separate record
      When I submit the script "loop.sh":
        """
        for n in a b c; do
          svc step check -- sh -c "echo $n | tee -a {folder}/commands"
          svc step other -- true
        done
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "commands" is:
        """
        a
        b
        c
        """
      And the recorded steps are:
        | site    | stdout |
        | check#0 | a\n    |
        | other#0 |        |
        | check#1 | b\n    |
        | other#1 |        |
        | check#2 | c\n    |
        | other#2 |        |
        | sleep#0      |        |

  Rule: A label is for display only

    @VERB-007 @SCR-024
    Scenario: labels affect neither the site nor the replay
      When I submit the script "label.sh":
        """
        echo pass >> {folder}/passes
        pass=$(wc -l < {folder}/passes | tr -d ' ')
        svc step build --label "Building, pass $pass" -- true
        svc step build --label "Something else" -- true
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "passes" has 2 lines
      And the recorded steps are:
        | site    | label            |
        | build#0 | Building, pass 1 |
        | build#1 | Something else   |
        | sleep#0      |                  |
