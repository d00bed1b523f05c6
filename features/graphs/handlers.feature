Feature: Graphs and nodes that handlers run

  Rule: A handler can run a stored graph, which reads the event

    @HAND-004 @HAND-043 @HAND-044 @CLI-028
    Scenario: the command line sets a handler with a graph
      Given I save the graph "greet":
        """
        {"nodes": [{"id": "a", "type": "set", "config": {"values": {"$expr": "[input.type, input.payload.who]"}}}]}
        """
      When I call "svc handler set on-hello --on hello --graph greet"
      Then it exits with 0
      When somebody emits "hello" with '{"payload": {"who": "you"}}'
      Then the handler "on-hello" succeeds
      And "output" of the run is '["hello","you"]'
      And "workflow" of the run is "greet"
      And "kind" of the run is "graph"

    @contract
    Scenario: the handler runs the latest version, or the version that it specifies
      Given I save the graph "v":
        """
        {"nodes": [{"id": "a", "type": "set", "config": {"values": 1}}]}
        """
      And I save the graph "v":
        """
        {"nodes": [{"id": "a", "type": "set", "config": {"values": 2}}]}
        """
      When I call "svc handler set latest --on go --graph v"
      And I call "svc handler set first --on go --graph v@1"
      And somebody emits "go" with '{}'
      Then the handler "latest" succeeds
      And "output" of the run is "2"
      And the handler "first" succeeds
      And "output" of the run is "1"

    @contract
    Scenario: a handler with an unknown graph is rejected at registration
      When I call "svc handler set h --on go --graph nobody"
      Then it exits with 1
      And standard error has "the project has no graph nobody"

    @contract
    Scenario: a delivery is rejected if the handler's graph was deleted
      Given I save the graph "gone":
        """
        {"nodes": [{"id": "a", "type": "set", "config": {"values": 1}}]}
        """
      When I call "svc handler set h --on go --graph gone"
      And I call "svc graph rm gone"
      And somebody emits "go" with '{}'
      Then it was delivered so:
        | name | state   | reason                                   |
        | h    | refused | not_found: the project has no graph gone |

  Rule: A handler can run a single node

    @HAND-005 @CLI-029
    Scenario: a handler runs an http node
      When I call "svc handler set again --on first --node emit --config -" with standard input:
        """
        {"type": "second", "payload": {"$expr": "input.payload.n + 1"}}
        """
      Then it exits with 0
      When somebody emits "first" with '{"payload": {"n": 1}}'
      Then the handler "again" succeeds
      And "kind" of the run is "node"
      And "workflow" of the run is "emit"
      And "payload" of the last event "second" is "2"

    @contract
    Scenario Outline: a handler with an invalid node is rejected at registration: <node>
      When I send "PUT" to "{scoped}/handlers/h" with:
        """
        {"on": ["t"], "node": "<node>", "config": <config>}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer has "<says>"

      Examples:
        | node           | config       | says                |
        | emitt          | {}           | did you mean emit?  |
        | emit           | {"typ": "x"} | did you mean type?  |
        | trigger.manual | {}           | starts a graph      |

  @contract
  Rule: Schedules and forges can start graphs too

    Scenario: a schedule starts a graph
      Given I save the graph "g":
        """
        {"nodes": [{"id": "a", "type": "set", "config": {"values": {"$expr": "input.schedule"}}}]}
        """
      When I call "svc schedule set every-second '* * * * * *' --graph g"
      And I look at the run that the schedule "every-second" has started
      And I call "svc schedule rm every-second"
      Then the run succeeds
      And "output" of the run is "every-second"

    Scenario: a push to a forge starts a graph
      Given I save the graph "build":
        """
        {"nodes": [{"id": "a", "type": "set", "config": {"values": {"$expr": "[input.repo, input.sha, input.payload.sha]"}}}]}
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "workflow": {"graph": "build"}}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "repository": {"full_name": "acme/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And "output" of the run is '["acme/site","aaa1","aaa1"]'
      And "subject" of the run is "acme/site"
