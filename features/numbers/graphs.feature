@far-end
Feature: Numbers in graphs, nodes and schedules stay exact

  Rule: A node receives the value of an expression unchanged

    @contract @store
    Scenario: a number in the input stays the same through expressions, a request and its response
      Given a far end that answers:
        | path   | status | type             | body                                                                 |
        | /order | 200    | application/json | {"id":820982911946154508,"2":1.0,"1":1e400,"u":18446744073709551615} |
      And a file "order.json":
        """
        {"version": "svc-graph/v1",
         "nodes": [
           {"id": "post", "type": "http", "config": {"url": "{far}/order", "method": "POST", "body": {
             "id": {"$expr": "input.id"}, "text": {"$expr": "'no ' + string(input.id)"}, "b": {"$expr": "input.b"},
             "own": 9007199254740993, "price": 10.00}}},
           {"id": "pick", "type": "set", "config": {"values": {
             "same": {"$expr": "nodes.post.output.body.id == input.id"},
             "other": {"$expr": "nodes.post.output.body.id == 820982911946154500"},
             "more": {"$expr": "nodes.post.output.body.id + 1"},
             "u": {"$expr": "nodes.post.output.body.u"},
             "body": {"$expr": "nodes.post.output.body"}}}}],
         "edges": [{"from": "post", "to": "pick"}]}
        """
      When I submit "{folder}/order.json --input '{\"id\":820982911946154508,\"b\":{\"10\":1.50,\"9\":2}}'" with the CLI as "order"
      Then the run succeeds
      And the far end got:
        | method | body                                                                                                                |
        | POST   | {"id":820982911946154508,"text":"no 820982911946154508","b":{"10":1.50,"9":2},"own":9007199254740993,"price":10.00} |
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"same":true,"other":false,"more":820982911946154509,"u":18446744073709551615,"body":{"id":820982911946154508,"2":1.0,"1":1e400,"u":18446744073709551615}'

    @contract
    Scenario: a number with more than 64 bits fails the node that reads it, and the error shows the number's position
      Given a file "wide.json":
        """
        {"version": "svc-graph/v1",
         "nodes": [
           {"id": "a", "type": "set", "config": {"values": {"wide": 18446744073709551616}}},
           {"id": "b", "type": "set", "config": {"values": {"$expr": "nodes.a.output.wide + 1"}}}],
         "edges": [{"from": "a", "to": "b"}]}
        """
      When I submit "{folder}/wide.json" with the CLI as "wide"
      Then the run fails with code "flow_expression_failed"
      And "error.message" of the run matches "nodes.a.output.wide: the number has more than 64 bits"

    @contract
    Scenario: a child receives its parent's number and returns it
      Given a file "child.json":
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "more", "type": "set", "config": {"values": {"$expr": "[input.id + 1, input]"}}}]}
        """
      When I submit the script "parent.sh":
        """
        svc output set made:="$(svc call graph --definition {folder}/child.json --input '{"id":820982911946154508,"2":1.0,"1":2}')"
        """
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"made":[820982911946154509,{"id":820982911946154508,"2":1.0,"1":2}]'

    @contract @store
    Scenario: a graph waits for an event with one exact number
      Given a file "wait.json":
        """
        {"version": "svc-graph/v1",
         "nodes": [{"id": "wait", "type": "event", "config": {"event": "paid", "when": "event.payload.id == 820982911946154508"}}]}
        """
      When I submit "{folder}/wait.json" with the CLI as "wait"
      Then the run waits for "event" "paid"
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "paid", "payload": {"id": 820982911946154500}}
        """
      Then the answer is 201
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "paid", "payload": {"id": 820982911946154508}}
        """
      Then the answer is 201
      And "event" of the answer is noted as "second"
      And the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"payload":{"id":820982911946154508}'
      And the answer has "{second}"

  Rule: Registered resources keep the numbers in their input

    @contract @store
    Scenario: a schedule passes exact numbers to its pipeline
      Given a file "pulse.yaml":
        """
        outputs: { id: "${{ input.input.id }}", more: "${{ input.input.id + 1 }}", input: "${{ input.input }}" }
        jobs:
          a:
            env: { OWN: 9007199254740993, ID: "${{ input.input.id }}", INPUT: "${{ input.input }}" }
            steps:
              - run: echo "$OWN $ID $INPUT"
        """
      When I call "svc schedule set pulse '* * * * * *' {folder}/pulse.yaml --input '{\"id\":820982911946154508,\"2\":1.10,\"1\":1}'"
      And the schedule "pulse" has ticked and is removed
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"id":820982911946154508,"more":820982911946154509,"input":{"id":820982911946154508,"2":1.10,"1":1}'
      And the log has '9007199254740993 820982911946154508 {"id":820982911946154508,"2":1.10,"1":1}'

  Rule: Masking also applies to digits in numbers

    @contract
    Scenario: a secret that consists of digits is masked within a number
      Given the secret "PIN" is "11946154"
      When I submit the script "mask.sh":
        """
        : "$PIN"
        svc output set a:='{"id":820982911946154508,"10":1.50,"9":2.0}' b:=11946154.0 c:=820982911946154508.0
        """
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"output":{"a":{"id":"8209829***508","10":1.50,"9":2.0},"b":"***.0","c":"8209829***508.0"}'
