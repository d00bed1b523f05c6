Feature: the names and labels of steps

  Rule: a step is known by its name and how often the run came to it

    @VERB-003 @SCR-022 @SCR-023
    Scenario: every turn of a loop is a record of its own
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

  Rule: a label is for people only

    @VERB-007 @SCR-024
    Scenario: neither the site nor the comparison with the record knows of labels
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
