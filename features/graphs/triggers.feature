Feature: Triggers of published graphs

  Rule: Each webhook trigger has a separate hook

    @GRAPH-031 @HOOK-007 @HOOK-008
    Scenario: a delivery starts the graph
      Given the published graph "shop":
        """
        {"nodes": [{"id": "order", "type": "trigger.webhook"},
                   {"id": "total", "type": "set", "config": {"values": {"$expr": "nodes.order.output.payload.body.total + 1"}}}],
         "edges": [{"from": "order", "to": "total"}]}
        """
      And a delivery of '{"total": 41}' as "application/json"
      When I send "GET" to "{scoped}/event-hooks/graph.shop.order"
      Then the answer is 200
      And "name" of the answer is "graph.shop.order"
      When it is delivered with the secret
      Then it became an event "graph.shop.order.received" with '{"body":{"total":41},"query":{}}'
      And the handler "graph.shop.order" succeeds
      And "output" of the run is "42"
      # @contract
      And "trigger.handler" of the run is "graph.shop.order"

    @HOOK-008
    Scenario: a webhook trigger can have a custom event type
      Given the published graph "shop":
        """
        {"nodes": [{"id": "order", "type": "trigger.webhook", "config": {"event_types": ["paid"]}},
                   {"id": "type", "type": "set", "config": {"values": {"$expr": "input.type"}}}],
         "edges": [{"from": "order", "to": "type"}]}
        """
      And a delivery of '{}' as "application/json"
      When I send "GET" to "{scoped}/event-hooks/graph.shop.order"
      And it is delivered with the secret
      Then it became an event "graph.shop.order.paid" with '{"body":{},"query":{}}'
      And the handler "graph.shop.order" succeeds
      And "output" of the run is "graph.shop.order.paid"

    @HOOK-008
    Scenario: the key for signed deliveries is stored in a credential
      Given the credential "hook-key" is '{"kind": "bearer", "token": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}'
      And the published graph "signed":
        """
        {"nodes": [{"id": "hook", "type": "trigger.webhook", "config": {
           "verification": {"manifest": "standard_webhooks", "credential": "hook-key"}}},
           {"id": "type", "type": "set", "config": {"values": {"$expr": "input.type"}}}],
         "edges": [{"from": "hook", "to": "type"}]}
        """
      And a delivery of '{"type": "invoice.paid", "data": 1}' as "application/json"
      And the official signer signs it as "msg_1" with "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 0 seconds from now
      When it is delivered to "{ingest}" with the headers:
        | webhook-id        | msg_1       |
        | webhook-timestamp | {timestamp} |
        | webhook-signature | {signature} |
      Then it became an event "graph.signed.hook.invoice.paid" with '{"body":{"type":"invoice.paid","data":1},"query":{}}'
      And the handler "graph.signed.hook" succeeds
      And "output" of the run is "graph.signed.hook.invoice.paid"

  Rule: Events and schedules can start graphs too

    @GRAPH-031
    Scenario: an event trigger starts only its own node, for events that match its patterns and predicate
      Given the published graph "shop":
        """
        {"nodes": [{"id": "large", "type": "trigger.event", "config": {"on": "order.*", "when": "event.payload.total > 10"}},
                   {"id": "other", "type": "trigger.event", "config": {"on": ["never"]}},
                   {"id": "one", "type": "set", "config": {"values": {"$expr": "input.payload.total"}}},
                   {"id": "both", "type": "set", "config": {"values": {"$expr": "run.fired"}}}],
         "edges": [{"from": "other", "to": "one"}, {"from": "large", "to": "both"}, {"from": "other", "to": "both"}]}
        """
      When somebody emits "order.made" with '{"payload": {"total": 5}}'
      Then it was delivered so:
        | name              | state    | reason                 |
        | graph.shop.large  | declined | the predicate is false |
      When somebody emits "order.made" with '{"payload": {"total": 50}}'
      Then the handler "graph.shop.large" succeeds
      And "output" of the run is '{"one":null,"both":["large"]}'

    @GRAPH-031
    Scenario: a schedule trigger starts the graph
      Given the published graph "clock":
        """
        {"nodes": [{"id": "tick", "type": "trigger.schedule", "config": {"cron": "* * * * * *"}},
                   {"id": "type", "type": "set", "config": {"values": {"$expr": "nodes.tick.output.type"}}}],
         "edges": [{"from": "tick", "to": "type"}]}
        """
      When I look at the run that the schedule "graph.clock.tick" has started
      And I call "svc graph unpublish clock"
      Then the run succeeds
      And "output" of the run is "schedule.tick"

    @contract
    Scenario: a submission fires the manual triggers, or every trigger if none is manual
      Given the published graph "two":
        """
        {"nodes": [{"id": "ev", "type": "trigger.event", "config": {"on": ["x"]}}, {"id": "start", "type": "trigger.manual"},
                   {"id": "fired", "type": "set", "config": {"values": {"$expr": "[run.fired, nodes.start.output]"}}}],
         "edges": [{"from": "start", "to": "fired"}]}
        """
      When I run the stored graph "two" with '{"n": 1}'
      Then the run succeeds
      And "output" of the run is '[["start"],{"n":1}]'

  @contract
  Rule: Triggers start the published version

    Scenario: publishing changes what triggers start, and saving does not
      Given the published graph "v":
        """
        {"nodes": [{"id": "ev", "type": "trigger.event", "config": {"on": ["go"]}},
                   {"id": "n", "type": "set", "config": {"values": 1}}], "edges": [{"from": "ev", "to": "n"}]}
        """
      And I save the graph "v":
        """
        {"nodes": [{"id": "ev", "type": "trigger.event", "config": {"on": ["go"]}},
                   {"id": "n", "type": "set", "config": {"values": 2}}], "edges": [{"from": "ev", "to": "n"}]}
        """
      When somebody emits "go" with '{}'
      Then the handler "graph.v.ev" succeeds
      And "output" of the run is "1"
      When I run the stored graph "v" with 'null'
      Then the run succeeds
      And "output" of the run is "2"
      When I call "svc graph publish v"
      And somebody emits "go" with '{}'
      Then the handler "graph.v.ev" succeeds
      And "output" of the run is "2"

  @contract
  Rule: A graph's registrations are created and removed with the graph

    Scenario: a graph's registrations cannot be changed directly and are removed with it
      Given the published graph "own":
        """
        {"nodes": [{"id": "hook", "type": "trigger.webhook"}, {"id": "ev", "type": "trigger.event", "config": {"on": ["x"]}},
                   {"id": "tick", "type": "trigger.schedule", "config": {"cron": "0 0 1 1 *"}}]}
        """
      When I send "DELETE" to "{scoped}/handlers/graph.own.ev"
      Then the answer is 409 with code "handler_owned"
      When I send "DELETE" to "{scoped}/event-hooks/graph.own.hook"
      Then the answer is 409 with code "hook_owned"
      When I send "DELETE" to "{scoped}/schedules/graph.own.tick"
      Then the answer is 409 with code "schedule_owned"
      When I call "svc graph unpublish own"
      And I call "svc handler ls"
      Then standard output lacks "graph.own"
      When I call "svc graph publish own"
      And I call "svc graph rm own"
      And I call "svc schedule ls"
      Then standard output lacks "graph.own"
      When I call "svc event-hook ls"
      Then standard output lacks "graph.own"
