@contract
Feature: Locks and children through an SDK

  Rule: Locks and child activities behave like their verbs

    Scenario Outline: locks and children are used by <program>
      When I submit the SDK program "<program>"
      Then the run succeeds
      And "output.seen" of the run is '[true,{"key":64},"under a lock",[1,"<failure>"],"of one","of two",1,[4,"some\n"]]'

      Examples:
        | program     | failure                    |
        | together.ts | Error: not under it        |

      @needs-python3
      Examples:
        | program     | failure                    |
        | together.py | RuntimeError: not under it |
