Feature: Waits through an SDK

  Rule: A wait that times out raises an error, and the outcome is final

    @SIG-007 @VER-004
    Scenario Outline: an agent with protocol version 2 supports timeouts: <program>
      When I submit the SDK program "<program>"
      Then the run waits for "signal" "meanwhile"
      When I send the signal "late" with '"too late"'
      And I send the signal "meanwhile" with 'null'
      Then the run succeeds
      And the log has 'WaitTimeoutError: the wait for the signal "late" did not end within 50ms' 2 times
      And the recorded steps are:
        | site        | kind        | exit | stdout         |
        | late#0      | wait-signal | 124  |                |
        | meanwhile#0 | wait-signal | 0    | null\n         |
        | late#1      | wait-signal | 0    | "too late"\n   |
      And "output" of the run is '{"late":"too late"}'

      Examples:
        | program |
        | late.ts |
        | late.js |

      @needs-python3
      Examples:
        | program |
        | late.py |

    @SIG-008
    Scenario Outline: a call with a timeout is rejected on an agent that is too old: <program>
      When I submit the SDK program "<program>"
      Then the run succeeds
      And the log is:
        """
        protocol_unsupported wait-signal with a timeout needs protocol 2 of the agent socket, but this agent speaks protocol 1
        heard hello
        """
      And 0 steps are recorded

      Examples:
        | program |
        | old.mjs |

      @needs-python3
      Examples:
        | program |
        | old.py  |

  @contract
  Rule: A call that suspends the program cannot be caught

    Scenario Outline: the pass ends during the call: <program>
      When I submit the SDK program "<program>"
      Then the run waits for "signal" "go"
      When I send the signal "go" with '{"by":"ann"}'
      Then the run succeeds
      And the log is:
        """
        ann
        finally
        """
      And 1 step is recorded

      Examples:
        | program  |
        | park.mjs |

      @needs-python3
      Examples:
        | program  |
        | park.py  |
