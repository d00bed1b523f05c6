Feature: Events and runs from an SDK

  Rule: An emit through an SDK wakes waits

    @EVT-021
    Scenario Outline: an event from <emitter> wakes <waiter> and is emitted once
      When I submit the SDK program "<waiter>"
      Then the run waits for "event" "order.paid"
      Given the run is called "waiter"
      When I submit the SDK program "<emitter>"
      Then the run succeeds
      # @contract
      And "output.reserved" of the run is "event_type_reserved"
      And "output.told" of the run is noted as "told"
      And "output.plain" of the run is noted as "plain"
      And the recorded steps are:
        | site           | kind  | exit | stdout      |
        | order.paid#0   | emit  | 0    | {told}\n    |
        | order.closed#0 | emit  | 0    | {plain}\n   |
        | sleep#0        | sleep | 0    |             |
      When I send "GET" to "{scoped}/events?type=order.paid"
      Then the answer is 200
      And the answer lists 1 "events"
      And "events.0.event" of the answer is "{told}"
      And "events.0.key" of the answer is "shop"
      When I send "GET" to "{scoped}/events/{told}"
      Then the answer is 200
      And "payload" of the answer is '{"order":7,"note":"ü"}'
      When I look at the run "waiter"
      Then the run succeeds
      And "output" of the run is '{"missed":"WaitTimeoutError","type":"order.paid","payload":{"order":7,"note":"ü"}}'

      @needs-python3
      Examples:
        | emitter  | waiter   |
        | emits.ts | hears.py |
        | emits.py | hears.ts |

  @contract
  Rule: A run submitted through an SDK is independent and created once

    Scenario Outline: a run is submitted by <program>
      When I submit the SDK program "<program>"
      Then the run succeeds
      And "output.child" of the run is noted as "child"
      And "output.other" of the run is noted as "other"
      When I look at the run noted as "child"
      Then the run succeeds
      And "output" of the run is '{"child":"spawn"}'
      And "tags" of the run is '["made:here"]'
      When I look at the run noted as "other"
      Then the run succeeds
      And "output" of the run is '{"other":"1"}'
      When I send "GET" to "{scoped}/runs"
      Then the answer is 200
      And the answer lists 3 "runs"

      Examples:
        | program   |
        | spawns.ts |

      @needs-python3
      Examples:
        | program   |
        | spawns.py |
