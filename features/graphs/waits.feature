Feature: Predicates of event nodes

  Rule: An event node receives the first event that its predicate accepts

    @WAIT-003 @GRAPH-026 @WAIT-008 @WAIT-011
    Scenario: events that do not match or cannot be evaluated are declined, and the wait continues
      When I run the graph:
        """
        {"nodes": [{"id": "wait", "type": "event", "config": {"event": "thing", "when": "event.payload.n > 3"}}],
         "output": {"$expr": "nodes.wait.output.payload.n"}}
        """
      And the run is called "waiter"
      Then the run waits for "event" "thing"
      When I emit "thing" with '{"n": 1}'
      Then what came of "{event}" is soon:
        | reaction | name   | state    |
        | wait     | waiter | declined |
      When I emit "thing" with '{"other": 1}'
      Then what came of "{event}" is soon:
        | reaction | name   | state    |
        | wait     | waiter | declined |
      And the run waits for "event" "thing"
      When I emit "thing" with '{"n": 4}'
      Then the run succeeds
      And "output" of the run is "4"

    @WAIT-009 @store
    Scenario: an event that one wait declines can end another
      When I run the graph:
        """
        {"nodes": [{"id": "small", "type": "event", "config": {"event": "thing", "when": "event.payload.n < 3"}},
                   {"id": "large", "type": "event", "config": {"event": "thing", "when": "event.payload.n > 3"}},
                   {"id": "any", "type": "event", "config": {"event": "thing"}}],
         "output": {"$expr": "[nodes.small.output.payload.n, nodes.large.output.payload.n, nodes.any.output.payload.n]"}}
        """
      Then the run waits for "event" "thing"
      When I emit "thing" with '{"n": 5}'
      And I emit "thing" with '{"n": 1}'
      Then the run succeeds
      And "output" of the run is "[1,5,5]"

    @WAIT-014
    Scenario: without a predicate, the first event of the type ends the wait
      When I run the graph:
        """
        {"nodes": [{"id": "wait", "type": "event", "config": {"event": "thing"}}],
         "output": {"$expr": "nodes.wait.output.payload"}}
        """
      Then the run waits for "event" "thing"
      When I emit "thing" with '{"first": true}'
      And I emit "thing" with '{"second": true}'
      Then the run succeeds
      And "output" of the run is '{"first":true}'

    @WAIT-010
    Scenario: a declined event does not extend the timeout
      When I run the graph:
        """
        {"nodes": [{"id": "wait", "type": "event", "config": {"event": "thing", "when": "false", "timeout": "2s"}}]}
        """
      And the run is called "waiter"
      Then the run waits for "event" "thing"
      And "substate.deadline" of the run is noted as "deadline"
      When I emit "thing" with '{}'
      Then what came of "{event}" is soon:
        | reaction | name   | state    |
        | wait     | waiter | declined |
      And "substate.deadline" of the run is "{deadline}"
      And the run fails with code "wait_timeout"

    @contract
    Scenario: a signal can end the wait too
      When I run the graph:
        """
        {"nodes": [{"id": "wait", "type": "event", "config": {"event": "thing", "when": "false"}}]}
        """
      Then the run waits for "event" "thing"
      When I send the signal "event:wait" with '"by hand"'
      Then the run succeeds
      And "output" of the run is "by hand"

  Rule: A predicate reads the event and the data of the run, and must compile

    @contract
    Scenario: a predicate reads the data of the run as it is when the node begins
      When I run the graph:
        """
        {"nodes": [{"id": "order", "type": "set", "config": {"values": {"id": 7, "tags": ["a", "b"]}}},
                   {"id": "wait", "type": "event", "config": {"event": "thing",
                     "when": "event.payload.id == nodes.order.output.id && event.payload.tag in nodes.order.output.tags && event.payload.run == run.id"}}],
         "edges": [{"from": "order", "to": "wait"}],
         "output": {"$expr": "nodes.wait.output.payload.n"}}
        """
      Then the run waits for "event" "thing"
      When I emit "thing" with '{"id": 8, "tag": "a", "run": "{run}", "n": 1}'
      And I emit "thing" with '{"id": 7, "tag": "c", "run": "{run}", "n": 2}'
      And I emit "thing" with '{"id": 7, "tag": "b", "run": "{run}", "n": 3}'
      Then the run succeeds
      And "output" of the run is "3"

    @contract
    Scenario: each item of a fan_out waits for its own event
      When I run the graph:
        """
        {"nodes": [{"id": "each", "type": "fan_out", "config": {"items": ["a", "b"],
           "node": {"type": "event", "config": {"event": "thing", "when": "event.payload.for == item"}}}}],
         "output": {"$expr": "nodes.each.output.map(one, one.payload.n)"}}
        """
      Then the run waits for "event" "thing"
      When I emit "thing" with '{"for": "b", "n": 1}'
      And I emit "thing" with '{"for": "a", "n": 2}'
      Then the run succeeds
      And "output" of the run is "[2,1]"

    @contract
    Scenario: a value that does not exist fails the node
      When I run the graph:
        """
        {"nodes": [{"id": "order", "type": "set", "config": {"values": {"id": 7}}},
                   {"id": "wait", "type": "event", "config": {"event": "thing", "when": "event.payload == nodes.order.output.key"}}],
         "edges": [{"from": "order", "to": "wait"}]}
        """
      Then the run fails with code "wait_value_missing"
      And the run fails and its error has "nodes.order.output.key"

    @WAIT-005 @WAIT-006 @WAIT-007 @WAIT-013
    Scenario Outline: a predicate with <what> is rejected
      Given a file "g.json":
        """
        {"version": "svc-graph/v1", "edges": [{"from": "a", "to": "wait"}],
         "nodes": [{"id": "a", "type": "set", "config": {"values": 1}}, {"id": "other", "type": "set", "config": {"values": 1}},
                   {"id": "wait", "type": "event", "config": {"event": "x", "when": "<when>"}}]}
        """
      When I call "svc check g.json"
      Then it exits with 1
      # @contract
      And standard output has "/nodes/2/config/when"
      # @contract
      And standard output has "<says>"

      Examples:
        | what                        | when                       | says                             |
        | steps                       | steps.a.output == 1        | unknown name `steps`             |
        | the state of the run        | state.x == 1               | unknown name `state`             |
        | a node that does not exist  | nodes.b.output == 1        | the graph has no node b          |
        | a node that runs elsewhere  | nodes.other.output == 1    | other does not run before wait   |
        | a field that no node has    | nodes.a.outputs == 1       | a node has no outputs            |
        | the item outside a fan_out  | item == event.payload      | item is available only in the    |
        | no expression               | event.payload ==           | unexpected                       |

  @contract
  Rule: All kinds of listeners can receive one event

    @store
    Scenario: a graph, a script and a handler receive one event
      When I run the graph:
        """
        {"nodes": [{"id": "wait", "type": "event", "config": {"event": "thing"}}]}
        """
      And the run is called "graph"
      Then the run waits for "event" "thing"
      When I submit the script "wait.sh" as "script":
        """
        svc wait-event thing
        """
      Then the run waits for "event" "thing"
      Given the handler "handler" on "thing" runs "h.sh":
        """
        true
        """
      When I emit "thing"
      Then the runs "graph, script" soon succeed
      And the handler "handler" succeeds
      And what came of "{event}" is soon:
        | reaction | name    | state     |
        | handler  | handler | delivered |
        | wait     | graph   | delivered |
        | wait     | script  | delivered |
