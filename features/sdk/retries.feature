@contract
Feature: Retries and timeouts through an SDK

  Rule: A function is retried like a command

    Scenario Outline: a function is retried by <program>
      When I submit the SDK program "<program>"
      Then the run succeeds
      And the log is:
        """
        tried: 3
        command: try 2
        never: 1 NonRetryableError: it is over
        late: 124 it took longer than its timeout of 200ms and was stopped
        """
      And the recorded steps are:
        | site      | kind | exit | stdout  |
        | tried#0   | step | 0    | 3\n     |
        | command#0 | step | 0    | try 2\n |
        | never#0   | step | 1    |         |
        | late#0    | step | 124  |         |

      Examples:
        | program      |
        | tries.ts     |

      @needs-python3
      Examples:
        | program      |
        | tries.py     |
        | tries-aio.py |

    @needs-python3
    Scenario: an exit or an interrupt of a Python program is not retried
      When I submit the SDK program "leaves.py"
      Then the run succeeds
      And the log is:
        """
        SystemExit [1]
        KeyboardInterrupt [1, 1]
        on
        """
