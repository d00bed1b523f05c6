Feature: A graph runs several connected nodes for each item of a list

  @contract
  Rule: Each item is a run of the nodes in the loop

    Scenario: the nodes read the item, its index and the loop's input, and the results are in order
      When I run the graph:
        """
        {"nodes": [
           {"id": "orders", "type": "set", "config": {"values": [{"id": "a", "n": 1}, {"id": "b", "n": 20}, {"id": "c", "n": 3}]}},
           {"id": "prices", "type": "each", "config": {
              "items": "nodes.orders.output",
              "input": {"factor": 10, "last": {"$expr": "item == nodes.orders.output[2] && index == 2"}},
              "nodes": [
                {"id": "total", "type": "set", "config": {"values": {"$expr": "item.n * input.factor"}}},
                {"id": "large", "type": "condition", "config": {"if": "nodes.total.output > 100"}},
                {"id": "ask", "type": "shell", "config": {"script": "echo ask $ID", "env": {"ID": {"$expr": "item.id"}}}},
                {"id": "done", "type": "set", "join": "any", "config": {"values": [
                   {"$expr": "item.id"}, {"$expr": "index"}, {"$expr": "input.last"},
                   {"$expr": "nodes.total.output"}, {"$expr": "nodes.ask.output"}]}}],
              "edges": [{"from": "total", "to": "large"}, {"from": "large", "to": "ask", "when": true},
                        {"from": "large", "to": "done", "when": false}, {"from": "ask", "to": "done"}]}}],
         "edges": [{"from": "orders", "to": "prices"}]}
        """
      Then the run succeeds
      And "output" of the run is '[["a",0,false,10,null],["b",1,false,200,"ask b"],["c",2,true,30,null]]'
      When I call "svc steps {run}"
      Then standard output matches "prices +each +succeeded.* 3 of 3 items"
      When I call "svc explain {run}"
      Then it exits with 0

    Scenario: a loop within a loop has its own items, and so does a fan-out in it
      When I run the graph:
        """
        {"nodes": [{"id": "rows", "type": "each", "config": {"items": [1, 2], "nodes": [
           {"id": "row", "type": "set", "config": {"values": {"$expr": "item * 10"}}},
           {"id": "cells", "type": "each", "config": {
              "items": ["x", "y"], "input": {"$expr": "nodes.row.output"},
              "nodes": [{"id": "all", "type": "fan_out", "config": {
                 "items": "[input, input + 1]",
                 "node": {"type": "set", "config": {"values": {"$expr": "string(item) + '/' + string(index)"}}}}},
                {"id": "cell", "type": "set", "config": {"values": {"$expr": "item + string(index) + ':' + nodes.all.output[1]"}}}],
              "edges": [{"from": "all", "to": "cell"}]}}],
           "edges": [{"from": "row", "to": "cells"}]}}]}
        """
      Then the run succeeds
      And "output" of the run is '[["x0:11/1","y1:11/1"],["x0:21/1","y1:21/1"]]'

    Scenario: an empty list has no results, and a list with too many items fails
      When I run the graph:
        """
        {"nodes": [{"id": "none", "type": "each", "config": {"items": "[1].filter(n, n > 1)", "nodes": [
           {"id": "a", "type": "set", "config": {"values": 1}}]}}]}
        """
      Then the run succeeds
      And "output" of the run is "[]"
      When I run the graph:
        """
        {"nodes": [
          {"id": "list", "type": "code", "config": {"language": "javascript", "script": "console.log(JSON.stringify(Array(10001).fill(1)))"}},
          {"id": "many", "type": "each", "config": {"items": "nodes.list.output", "nodes": [{"id": "a", "type": "set", "config": {"values": 1}}]}}],
         "edges": [{"from": "list", "to": "many"}]}
        """
      Then the run fails with code "flow_fan_out_too_large"

  @contract
  Rule: A failed item fails the loop

    Scenario: the first failure stops the items that have not ended
      When I run the graph:
        """
        {"nodes": [{"id": "parts", "type": "each", "config": {"items": [1, 0, 3], "concurrency": 3, "nodes": [
           {"id": "held", "type": "wait_signal", "config": {"name": "go"}},
           {"id": "part", "type": "set", "config": {"values": {"$expr": "100 / item"}}}],
           "edges": [{"from": "held", "to": "part"}]}}]}
        """
      Then the items of the run are "waiting waiting waiting"
      When the item "parts[1].json" of the run gets the signal "go"
      Then the run fails and its error has "node parts: the run run_"
      And the items of the run are "cancelled cancelled failed"
      When I call "svc explain {run}"
      Then standard output has "svc rerun {run} --from parts"
      When I call "svc rerun {run} --from parts"
      Then it exits with 0
      When I look at the run on standard output
      Then the items of the run are "waiting waiting waiting"
      When I cancel the run because "enough"
      Then the items of the run are "cancelled cancelled cancelled"

    Scenario: with finish_all, the others end first
      When I run the graph:
        """
        {"nodes": [{"id": "parts", "type": "each", "config": {"items": [0, 1, 2, 3], "concurrency": 1, "finish_all": true, "nodes": [
           {"id": "part", "type": "set", "config": {"values": {"$expr": "100 / item"}}},
           {"id": "after", "type": "emit", "config": {"type": "part.made"}}],
           "edges": [{"from": "part", "to": "after"}]}}]}
        """
      Then the run fails and its error has "node parts: the run run_"
      And the project has 3 events of type "part.made"

    Scenario: with continue_on_error, the failed item has no output
      When I run the graph:
        """
        {"nodes": [{"id": "parts", "type": "each", "continue_on_error": true, "config": {"items": [5, 0, 2], "nodes": [
           {"id": "part", "type": "set", "config": {"values": {"$expr": "100 / item"}}},
           {"id": "half", "type": "set", "config": {"values": {"$expr": "nodes.part.output / 2"}}}],
           "edges": [{"from": "part", "to": "half"}]}}]}
        """
      Then the run succeeds
      And "output" of the run is "[10,null,25]"

  @contract
  Rule: Only a limited number of items run at a time, and they end with the run

    Scenario: cancelling the run ends its items, and no others begin
      When I run the graph:
        """
        {"nodes": [{"id": "parts", "type": "each", "config": {"items": [1, 2, 3, 4, 5], "concurrency": 2, "nodes": [
           {"id": "go", "type": "set", "config": {"values": 1}},
           {"id": "held", "type": "wait_signal", "config": {"name": "go"}}],
           "edges": [{"from": "go", "to": "held"}]}}]}
        """
      Then the items of the run are "waiting waiting"
      When the item "parts[0].json" of the run gets the signal "go"
      Then the items of the run are "succeeded waiting waiting"
      When I cancel the run because "enough"
      Then the items of the run are "cancelled cancelled succeeded"

    @own-server
    Scenario: after a restart, the items continue without repeating the nodes that have ended
      When I run the graph:
        """
        {"nodes": [{"id": "parts", "type": "each", "config": {"items": ["a", "b", "c"], "concurrency": 2, "nodes": [
           {"id": "begun", "type": "emit", "config": {"type": "part.begun", "payload": {"$expr": "item"}}},
           {"id": "held", "type": "event", "config": {"event": "part.go", "when": "event.payload == item"}},
           {"id": "made", "type": "emit", "config": {"type": "part.made"}},
           {"id": "part", "type": "set", "config": {"values": {"$expr": "item + nodes.held.output.payload"}}}],
           "edges": [{"from": "begun", "to": "held"}, {"from": "held", "to": "made"}, {"from": "made", "to": "part"}]}}]}
        """
      Then the items of the run are "waiting waiting"
      When I emit "part.go" with '"b"'
      Then the items of the run are "succeeded waiting waiting"
      When the server is killed
      And the server is started again
      And I emit "part.go" with '"a"'
      And I emit "part.go" with '"c"'
      Then the run succeeds
      And "output" of the run is '["aa","bb","cc"]'
      And the project has 3 events of type "part.begun"
      And the project has 3 events of type "part.made"

  @contract
  Rule: The nodes in a loop are checked with their graph

    Scenario Outline: a graph is not saved if <what> is wrong in its loop
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "nodes": [
           {"id": "list", "type": "set", "config": {"values": [1]}},
           {"id": "loop", "type": "each", "config": <config>}],
         "edges": [{"from": "list", "to": "loop"}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "<pointer>"
      And the answer has "<text>"

      Examples:
        | what                    | config                                                                                                                       | pointer                                     | text                                |
        | a type                  | {"items": [1], "nodes": [{"id": "a", "type": "sett"}]}                                                                       | /nodes/1/config/nodes/0/type                | did you mean set?                   |
        | a member of a node      | {"items": [1], "nodes": [{"id": "a", "type": "set", "config": {"values": 1}, "retrys": 1}]}                                  | /nodes/1/config/nodes/0/retrys              | retry                               |
        | a config                | {"items": [1], "nodes": [{"id": "a", "type": "delay", "config": {"for": "soon"}}]}                                           | /nodes/1/config/nodes/0/config/for          | is not a duration                   |
        | an edge                 | {"items": [1], "nodes": [{"id": "a", "type": "delay", "config": {"for": "1s"}}], "edges": [{"from": "a", "to": "list"}]}     | /nodes/1/config/edges/0/to                  | the graph has no node list          |
        | a circle                | {"items": [1], "nodes": [{"id": "a", "type": "delay", "config": {"for": "1s"}}], "edges": [{"from": "a", "to": "a"}]}        | /nodes/1/config/edges/0                     | closes a circle                     |
        | an expression           | {"items": [1], "nodes": [{"id": "a", "type": "set", "config": {"values": {"$expr": "1 +"}}}]}                                | /nodes/1/config/nodes/0/config/values/$expr | line 1                              |
        | a node outside          | {"items": [1], "nodes": [{"id": "a", "type": "set", "config": {"values": {"$expr": "nodes.list.output"}}}]}                  | /nodes/1/config/nodes/0/config/values/$expr | list is a node outside of the each  |
        | an input not passed     | {"items": [1], "nodes": [{"id": "a", "type": "set", "config": {"values": {"$expr": "input.n"}}}]}                            | /nodes/1/config/nodes/0/config/values/$expr | the each passes no `input`          |
        | the output              | {"items": [1], "nodes": [{"id": "a", "type": "set", "config": {"values": 1}}], "output": {"$expr": "nodes.b.output"}}        | /nodes/1/config/output/$expr                | the graph has no node b             |
        | a trigger               | {"items": [1], "nodes": [{"id": "a", "type": "trigger.manual"}]}                                                             | /nodes/1/config/nodes/0/type                | trigger.manual starts a graph       |
        | computed nodes          | {"items": [1], "nodes": {"$expr": "nodes.list.output"}}                                                                      | /nodes/1/config/nodes                       | array                               |
        | no node                 | {"items": [1], "nodes": []}                                                                                                  | /nodes/1/config/nodes                       | item                                |
        | the item in items       | {"items": "[item]", "nodes": [{"id": "a", "type": "set", "config": {"values": 1}}]}                                          | /nodes/1/config/items                       | item is available only in           |

  Rule: The requirements include the nodes in loops

    @REQ-001 @REQ-002
    Scenario: the credentials of the nodes in a loop are required before the graph runs
      Given the credential "here" is '{"kind": "bearer", "token": "tok-1-here"}'
      And I save the graph "g":
        """
        {"nodes": [{"id": "loop", "type": "each", "config": {"items": [1], "nodes": [
           {"id": "get", "type": "http", "config": {"url": "https://example.org/", "credential": "here"}},
           {"id": "again", "type": "each", "config": {"items": [1], "nodes": [
             {"id": "run", "type": "shell", "config": {"script": "true", "credentials": {"A": "away"}}}]}}]}}]}
        """
      When I send "GET" to "{scoped}/graphs/g/requirements"
      Then "ready" of the answer is "false"
      And the requirements of "g" are:
        | node_id        | name | state   |
        | loop/get       | here | ok      |
        | loop/again/run | away | missing |
      When I send "POST" to "{scoped}/runs" with:
        """
        {"graph": "g"}
        """
      Then the answer is 422 with code "credential_missing"
      And the answer has "loop/again/run"
