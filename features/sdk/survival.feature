Feature: A script with an SDK survives the loss of its agent

  Rule: Recorded steps do not run again on another agent

    @own-agent @SCR-073 @SCR-074
    Scenario Outline: the agent is killed inside a step: <program>
      Given a gate "open"
      And 2 agents of its own
      When I submit the SDK program "<program>" to those agents
      Then the file "keys" soon has 1 line
      When I kill the agent whose process is in the file "passes"
      Then the run succeeds
      And the file "passes" has 2 different lines
      And the file "keys" has 2 lines
      And the file "keys" has 1 different line
      And the recorded steps are:
        | site     | exit | stdout   |
        | before#0 | 0    | kept\n   |
        | stuck#0  | 0    | done\n   |
      And "output" of the run is '{"before":"kept","stuck":"done"}'
      And the log lacks "swallowed"

      Examples:
        | program  |
        | stuck.ts |

      @needs-python3
      Examples:
        | program  |
        | stuck.py |
