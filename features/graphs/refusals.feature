@contract
Feature: Problems in a graph are reported before it is saved

  Rule: All problems are reported together, each with its position

    Scenario: a document with many problems is rejected with all of them
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "nodez": [],
         "nodes": [
           {"id": "a", "type": "sett", "config": {}},
           {"id": "b", "type": "set", "config": {"valuess": 1}},
           {"id": "b", "type": "delay", "config": {"for": "five minutes"}},
           {"id": "c", "type": "set", "config": {"values": {"$expr": "nodes.q.output"}}},
           {"id": "d", "type": "set", "config": {"values": {"$expr": "1 +"}}}],
         "edges": [{"from": "a", "to": "zz"}, {"from": "c", "to": "d"}, {"from": "d", "to": "c"}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "/edges/0/to /edges/2 /nodes/0/type /nodes/1/config/values /nodes/1/config/valuess /nodes/2/config/for /nodes/2/id /nodes/3/config/values/$expr /nodes/4/config/values/$expr /nodez"
      And the answer has "did you mean set?"
      And the answer has "did you mean values?"
      And the answer has "closes a circle: c → d → c"
      When I send "GET" to "{scoped}/graphs/g"
      Then the answer is 404 with code "not_found"

    Scenario Outline: an edge to a node that does not exist is reported
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "nodes": <nodes>, "edges": <edges>}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "<pointer>"

      Examples:
        | what                           | nodes                                                                                          | edges                                    | pointer                        |
        | an unknown member of a node    | [{"id": "a", "type": "trigger.manual", "retrys": 1}]                                           | []                                       | /nodes/0/retrys                |
        | an unknown key of a config     | [{"id": "a", "type": "set", "config": {"values": 1, "more": 2}}]                               | []                                       | /nodes/0/config/more           |
        | an id with a space             | [{"id": "a b", "type": "trigger.manual"}]                                                      | []                                       | /nodes/0/id                    |
        | an id that is too long         | [{"id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "type": "trigger.manual"}]    | []                                       | /nodes/0/id                    |
        | a circle of one                | [{"id": "a", "type": "set", "config": {"values": 1}}]                                          | [{"from": "a", "to": "a"}]               | /edges/0                       |
        | an edge into a trigger         | [{"id": "a", "type": "trigger.manual"}, {"id": "b", "type": "trigger.manual"}]                 | [{"from": "a", "to": "b"}]               | /edges/0/to                    |
        | a case that is none            | [{"id": "a", "type": "condition", "config": {"if": "true"}}, {"id": "b", "type": "set", "config": {"values": 1}}] | [{"from": "a", "to": "b", "when": "maybe"}] | /edges/0/when |
        | a case of nothing              | [{"id": "a", "type": "set", "config": {"values": 1}}, {"id": "b", "type": "set", "config": {"values": 1}}] | [{"from": "a", "to": "b", "when": true}] | /edges/0/when       |
        | attempts that are none         | [{"id": "a", "type": "set", "config": {"values": 1}, "retry": {"attempts": 0}}]                | []                                       | /nodes/0/retry/attempts        |
        | attempts as a text             | [{"id": "a", "type": "set", "config": {"values": 1}, "retry": {"attempts": "2"}}]              | []                                       | /nodes/0/retry/attempts        |
        | a reserved type of event       | [{"id": "a", "type": "emit", "config": {"type": "run.done"}}]                                  | []                                       | /nodes/0/config/type           |
        | an expression that is no text  | [{"id": "a", "type": "set", "config": {"values": {"$expr": 1}}}]                               | []                                       | /nodes/0/config/values/$expr   |
        | a node that does not run before | [{"id": "a", "type": "set", "config": {"values": {"$expr": "nodes.b.output"}}}, {"id": "b", "type": "set", "config": {"values": 1}}] | [] | /nodes/0/config/values/$expr |
        | a cron that is none            | [{"id": "a", "type": "trigger.schedule", "config": {"cron": "daily"}}]                         | []                                       | /nodes/0/config/cron           |
        | a pattern that is none         | [{"id": "a", "type": "trigger.event", "config": {"on": "*.x"}}]                                | []                                       | /nodes/0/config/on             |

    Scenario: a name that is too long for its triggers' event types is rejected
      When I send "PUT" to "{scoped}/graphs/gggggggggggggggggggggggggggggggggggggggg" with:
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "aaaaaaaaaaaaaaaa", "type": "trigger.webhook"}], "edges": []}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer has "must have fewer than 64 characters"

    Scenario: svc check reports the line and column
      Given a file "g.json":
        """
        {"version": "svc-graph/v1",
         "nodes": [
           {"id": "a", "type": "sett"}],
         "edges": []}
        """
      When I call "svc check g.json"
      Then it exits with 1
      And standard output has "g.json:3:24"
      And standard output has "did you mean set?"

    Scenario: a submission rejects the same problems
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "{\"version\": \"svc-graph/v1\", \"nodes\": [{\"id\": \"a\", \"type\": \"sett\"}], \"edges\": []}"}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer has "did you mean set?"
