Feature: Events are emitted through the API

  Rule: An event has a type, an optional subject and a JSON payload

    @EVT-006 @EVT-007 @HTTP-009
    Scenario: an emit returns the event's ID
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "build.done", "key": "acme/web", "payload": {"list": [1, null, "ü"], "deep": {"a": true}}}
        """
      Then the answer is 201
      And "event" of the answer matches "^evt_\w{26}$"
      And "event" of the answer is noted as "event"
      And "type" of the event "{event}" is "build.done"
      And "key" of the event "{event}" is "acme/web"
      And "payload" of the event "{event}" is '{"list":[1,null,"ü"],"deep":{"a":true}}'
      And "source" of the event "{event}" is "emit"
      And nothing came of "{event}"

    @EVT-002 @EVT-004 @EVT-005
    Scenario: subject and payload are optional
      When I emit "bare"
      Then "key" of the event "{event}" is "null"
      And "payload" of the event "{event}" is "null"
      When I emit "text" with '"a text"'
      Then "payload" of the event "{event}" is "a text"
      When I emit "number" with "-1.5e3"
      Then "payload" of the event "{event}" is "-1500"
      When I emit "list" with "[[],{}]"
      Then "payload" of the event "{event}" is "[[],{}]"

    @EVT-001 @LIM-001
    Scenario: a type has 1 to 64 letters, digits and . _ -
      When I emit each of these types:
        | a                                                                |
        | Build.Done_2-x                                                   |
        | 0123456789012345678901234567890123456789012345678901234567890123 |
        | runner                                                           |
        | forge.issues                                                     |
        | graph.a.b.c                                                      |
      Then each is answered 201

    @EVT-001 @LIM-001 @ERR-017 @ERR-018 @ERR-019
    Scenario: invalid types are rejected
      When I emit each of these types:
        |                                                                   |
        | 01234567890123456789012345678901234567890123456789012345678901234 |
        | a b                                                               |
        | a/b                                                               |
        | bücher                                                            |
        | a*                                                                |
        | a\n                                                               |
      Then each is answered 400 with code "event_type_invalid"

    @EVT-035 @EVT-036 @EVT-037 @EVT-038 @EVT-039 @EVT-040 @ERR-015
    Scenario: types reserved for the service are rejected
      When I emit each of these types:
        | push          |
        | manual        |
        | schedule.tick |
        | spawn         |
        | run.started   |
        | run.anything  |
        | svc.ready     |
        | svc.a.b       |
      Then each is answered 403 with code "event_type_reserved"
      And there are 0 events "push"
      And there are 0 events "run.anything"

    @ERR-020
    Scenario: a payload must be JSON
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "a", "payload": {oops}}
        """
      Then the answer is 400 with code "invalid_request"
      When I call "svc emit a --payload {oops}"
      Then it exits with 2
      # @contract
      And standard error has "--payload is not JSON"

  Rule: An event is recorded completely or not at all

    @EVT-042 @HTTP-008 @LIM-002 @ERR-016 @EVT-043
    Scenario: a body of 2 MiB is accepted, and one byte more is rejected
      When I submit the script "wait.sh":
        """
        svc wait-event big > {folder}/envelope
        """
      Then the run waits for "event" "big"
      When I emit "big" in a body of 2097153 bytes
      Then the answer is 413 with code "payload_too_large"
      And there are 0 events "big"
      And the run waits for "event" "big"
      When I emit "big" in a body of 2097152 bytes
      Then the answer is 201
      And the run succeeds
      And the file "envelope" holds the envelope of "{event}"

    @contract
    Scenario: an invalid event is rejected with the position of the problem
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "a", "playload": 1}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/playload"
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "a", "key": ""}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/key"

  Rule: A repeated emit records a second event, unless it has an idempotency key

    @DLV-015
    Scenario: sending the same emit twice records two events
      When I emit "again"
      And I emit "again"
      Then there are 2 events "again"

    @contract @store
    Scenario: a repeat with the same idempotency key returns the first event
      When I emit "once" with the idempotency key "k1"
      And I emit "once" with the idempotency key "k1"
      And I emit "once" with the idempotency key "k2"
      Then there are 2 events "once"

    @contract
    Scenario: a repeat with different content gets a notice and is not recorded
      When I emit "once" with the idempotency key "k1"
      And I emit "other" with the idempotency key "k1"
      Then the answer is 200
      And "duplicate" of the answer is "true"
      And "event_differs" of the answer is "true"
      And there are 0 events "other"
