Feature: Expressions of graphs

  Rule: A value in a config can be computed

    @GRAPH-032 @GRAPH-033 @GRAPH-034
    Scenario: values are computed from the input and from outputs, at any depth
      When I submit over HTTP the graph with the input '{"name": "ann", "list": [1, 2]}':
        """
        {"nodes": [
           {"id": "a", "type": "set", "config": {"values": {"deep": [{"name": {"$expr": "input.name"}}], "kept": "$expr"}}},
           {"id": "between", "type": "set", "config": {"values": 0}},
           {"id": "b", "type": "set", "config": {"values": {
             "far": {"$expr": "nodes.a.output.deep[0].name + '!'"}, "sum": {"$expr": "input.list[0] + input.list[1]"}}}}],
         "edges": [{"from": "a", "to": "between"}, {"from": "between", "to": "b"}],
         "output": {"all": {"$expr": "nodes.b.output"}, "kept": {"$expr": "nodes.a.output.kept"}}}
        """
      Then the run succeeds
      And "output" of the run is '{"all":{"far":"ann!","sum":3},"kept":"$expr"}'

    @contract
    Scenario: a missing value fails the node, and the error shows the value's path
      When I run the graph:
        """
        {"nodes": [{"id": "a", "type": "set", "config": {"values": {"$expr": "input.name"}}}]}
        """
      Then the run fails with code "flow_expression_failed"
      And "error.message" of the run matches "node a: input.name"

  @contract
  Rule: Conditions choose a path

    Scenario Outline: a condition chooses a path for the input <n>
      When I submit over HTTP the graph with the input '{"n": <n>}':
        """
        {"nodes": [
           {"id": "if", "type": "condition", "config": {"if": "input.n > 5"}},
           {"id": "size", "type": "switch", "config": {"on": "input.n > 50 ? 'huge' : 'large'", "cases": ["huge"]}},
           {"id": "small", "type": "set", "config": {"values": "small"}},
           {"id": "large", "type": "set", "config": {"values": "large"}},
           {"id": "huge", "type": "set", "config": {"values": "huge"}},
           {"id": "end", "type": "set", "join": "any", "config": {"values":
             {"$expr": "[nodes.small.output, nodes.large.output, nodes.huge.output].filter(x, x != null)[0]"}}}],
         "edges": [
           {"from": "if", "to": "small", "when": false}, {"from": "if", "to": "size", "when": true},
           {"from": "size", "to": "huge", "when": "huge"}, {"from": "size", "to": "large", "when": "default"},
           {"from": "small", "to": "end"}, {"from": "large", "to": "end"}, {"from": "huge", "to": "end"}]}
        """
      Then the run succeeds
      And "output" of the run is "<output>"

      Examples:
        | n  | output |
        | 1  | small  |
        | 10 | large  |
        | 99 | huge   |
