Feature: Graph documents

  Rule: A graph is a JSON object with a version, nodes and edges

    @OVW-011 @GRAPH-001 @GRAPH-002 @GRAPH-003 @GRAPH-004 @GRAPH-005 @GRAPH-006 @VER-002
    Scenario: nodes run in the order of their edges
      When I run the graph:
        """
        {"version": "svc-graph/v1",
         "nodes": [
           {"id": "last", "type": "set", "config": {"values": {"$expr": "nodes.middle.output + ['last']"}}},
           {"id": "first", "type": "set", "config": {"values": ["first"]}},
           {"id": "middle", "type": "set", "config": {"values": {"$expr": "nodes.first.output + ['middle']"}}}],
         "edges": [{"from": "middle", "to": "last"}, {"from": "first", "to": "middle"}]}
        """
      Then the run succeeds
      And "output" of the run is '["first","middle","last"]'
      And "kind" of the run is "graph"
      And "workflow_type" of the run is "svc-graph/v1"

    @VER-002 @GRAPH-001
    Scenario Outline: a document with another version is not a graph: <document>
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        <document>
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "<pointer>"

      Examples:
        | document                                                                  | pointer  |
        | {"version": "svc-graph/v2", "nodes": [{"id": "a", "type": "trigger.manual"}]} | /version |
        | {"nodes": [{"id": "a", "type": "trigger.manual"}]}                        | /version |
        | {"version": "svc-graph/v1", "edges": []}                                  | /nodes   |
        | {"version": "svc-graph/v1", "nodes": {}, "edges": []}                     | /nodes   |

    @contract
    Scenario: a file with the graph version is a graph, regardless of its name
      Given a file "anything.txt":
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "a", "type": "set", "config": {"values": 7}}], "edges": []}
        """
      When I call "svc submit anything.txt --follow --json"
      Then it exits with 0
      And standard output is JSON whose "output" is "7"
      And standard output is JSON whose "kind" is "graph"

  Rule: A node can be retried, and its failure can be treated as data

    @GRAPH-007
    Scenario: attempts include the first one and are separated by a pause
      When I run the graph:
        """
        {"nodes": [{"id": "a", "type": "shell", "retry": {"attempts": 3, "backoff": "1s"},
                    "config": {"script": "date +%s%3N >> '{folder}/tries'; n=$(wc -l < '{folder}/tries'); test $n -ge 3; echo $n"}}]}
        """
      Then the run succeeds
      And "output" of the run is "3"
      And the times in the file "tries" are at least 1000 ms apart

    @GRAPH-036
    Scenario: the next node reads a failure that does not end the run
      When I run the graph:
        """
        {"nodes": [
           {"id": "bad", "type": "shell", "continue_on_error": true, "config": {"script": "echo oops >&2; exit 3"}},
           {"id": "next", "type": "set", "config": {"values": {"$expr": "[nodes.bad.status, nodes.bad.error.code]"}}}],
         "edges": [{"from": "bad", "to": "next"}]}
        """
      Then the run succeeds
      And "output" of the run is '["failed","script_failed"]'

    @contract
    Scenario: by default, a failure ends the run, and the error contains the node
      When I run the graph:
        """
        {"nodes": [
           {"id": "bad", "type": "shell", "config": {"script": "echo oops >&2; exit 3"}},
           {"id": "next", "type": "set", "config": {"values": 1}}],
         "edges": [{"from": "bad", "to": "next"}]}
        """
      Then the run fails with code "script_failed"
      And "error.message" of the run matches "node bad: the script ended with exit code 3[^]*oops"

  @contract
  Rule: Settings in a document apply to all of its runs

    Scenario: a document sets tags, a subject and cancelling events
      Given I save the graph "held":
        """
        {"tags": ["team:core"], "subject": "acme/web", "cancel_on": ["stop.it"],
         "nodes": [{"id": "wait", "type": "wait_signal", "config": {"name": "go"}}]}
        """
      When I send "POST" to "{scoped}/runs" with:
        """
        {"graph": "held", "tags": ["own"]}
        """
      And I take the run of the answer
      Then the run waits for "signal" "go"
      And "tags" of the run is '["own","team:core"]'
      And "subject" of the run is "acme/web"
      When I emit "stop.it" for "somebody/else"
      Then the run waits for "signal" "go"
      When I emit "stop.it" for "acme/web"
      Then the run is "cancelled"
