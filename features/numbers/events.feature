Feature: Numbers in events stay unchanged

  Rule: A number that svc only passes on stays unchanged

    @EVT-004 @store
    Scenario: a number is the same in the emit, the event, the handler and its output
      Given the handler "keep" on "order" runs "keep.sh":
        """
        cat "$SVC_INPUT_FILE"
        svc output set envelope:="$(cat "$SVC_INPUT_FILE")" price:=10.00 n:=18446744073709551615
        """
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "order", "payload": {"id":820982911946154508,"u":18446744073709551615,"least":-9223372036854775808,"10":1,"9":2.0,"e":[1e2,-0,1e400],"long":0.1000000000000000055,"id":820982911946154508}}
        """
      Then the answer is 201
      And "event" of the answer is noted as "event"
      When I send "GET" to "{scoped}/events/{event}"
      Then the answer has '"payload":{"id":820982911946154508,"u":18446744073709551615,"least":-9223372036854775808,"10":1,"9":2.0,"e":[1e2,-0,1e400],"long":0.1000000000000000055}'
      And the handler "keep" succeeds
      And the log has '"payload":{"id":820982911946154508,"u":18446744073709551615,"least":-9223372036854775808,"10":1,"9":2.0,"e":[1e2,-0,1e400],"long":0.1000000000000000055}'
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"payload":{"id":820982911946154508,"u":18446744073709551615,"least":-9223372036854775808,"10":1,"9":2.0,"e":[1e2,-0,1e400],"long":0.1000000000000000055}'
      And the answer has '"price":10.00,"n":18446744073709551615'
      When I call "svc events show {event} --json"
      Then standard output has '"id": 820982911946154508'
      And standard output has '"9": 2.0'
      When I call "svc events show {event}"
      Then standard output has '"u": 18446744073709551615'
      When I call "svc status {run}"
      Then standard output has '"id":820982911946154508'

    @EVT-004
    Scenario Outline: the number <number> as a payload stays unchanged
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "bare", "payload": <number>}
        """
      Then the answer is 201
      And "event" of the answer is noted as "event"
      When I send "GET" to "{scoped}/events/{event}"
      Then the answer has '"payload":<number>,'

      Examples:
        | number               |
        | 820982911946154508   |
        | -9223372036854775808 |
        | 1.0                  |
        | 1e400                |

    @contract @store
    Scenario: a repeat with a different number counts as a different event
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "job.sh", "source": "true", "idempotency_key": "k", "input": {"id": 820982911946154508}}
        """
      Then the answer is 201
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "job.sh", "source": "true", "idempotency_key": "k", "input": {"id": 820982911946154508}}
        """
      Then the answer is 200
      And the answer lacks "source_differs"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "job.sh", "source": "true", "idempotency_key": "k", "input": {"id": 820982911946154509}}
        """
      Then the answer is 200
      And "source_differs" of the answer is "true"
      And the run of the answer succeeds

    @HOOK-011
    Scenario: numbers in a hook delivery stay unchanged
      Given the event hook "in" with '{"event_type": "in.came"}'
      And a delivery of '{"id":820982911946154508,"2":1.0,"1":[1e2]}' as "application/json"
      When it is delivered to "{ingest}" with the headers:
        | X-Svc-Hook-Secret | {secret} |
      Then the answer is 202
      And "event_id" of the answer is noted as "event"
      When I send "GET" to "{scoped}/events/{event}"
      Then the answer has '"body":{"id":820982911946154508,"2":1.0,"1":[1e2]}'

    @contract
    Scenario: numbers in a forge delivery stay unchanged
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      When forge_a delivers "order" to "site" as the text:
        """
        {"id":820982911946154508,"2":1.0,"1":[1e2],"repository":{"full_name":"acme/site"}}
        """
      Then the answer is 202
      When I send "GET" to "{scoped}/events/{event}"
      Then the answer has '"payload":{"id":820982911946154508,"2":1.0,"1":[1e2],"repository":{"full_name":"acme/site"}}'

  Rule: Expressions read 64-bit integers exactly

    @contract @store
    Scenario: a predicate accepts one number but not its neighbors
      Given the handler "one" with '{"on": ["order"], "when": "event.payload.id == 820982911946154508"}' runs "one.sh":
        """
        svc output set id:="$(svc step id -- sed 's/.*"id":\([0-9]*\).*/\1/' "$SVC_INPUT_FILE")"
        """
      And the handler "most" with '{"on": ["order"], "when": "event.payload.id > 9223372036854775807u"}' runs "most.sh":
        """
        svc output set most=true
        """
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "order", "payload": {"id": 820982911946154509}}
        """
      Then the answer is 201
      And "event" of the answer is noted as "event"
      And it was delivered so:
        | name | state    | reason                 |
        | most | declined | the predicate is false |
        | one  | declined | the predicate is false |
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "order", "payload": {"id": 18446744073709551615}}
        """
      Then the answer is 201
      And "event" of the answer is noted as "event"
      And the handler "most" succeeds
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "order", "payload": {"id": 820982911946154508}}
        """
      Then the answer is 201
      And "event" of the answer is noted as "event"
      And the handler "one" succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"output":{"id":820982911946154508}'

    @contract
    Scenario: a number that cannot be represented exactly is reported with its position
      Given the handler "one" with '{"on": ["order"], "when": "event.payload.lines[0].id == 1"}' runs "one.sh":
        """
        true
        """
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "order", "payload": {"lines": [{"id": 18446744073709551616}]}}
        """
      Then the answer is 201
      And "event" of the answer is noted as "event"
      And it was delivered so:
        | name | state    | reason                                                          |
        | one  | declined | event.payload.lines.0..id: the number has more than 64 bits |
      When I send "GET" to "{scoped}/events/{event}"
      Then the answer has '"payload":{"lines":[{"id":18446744073709551616}]}'

  Rule: A script gets the same number each time it runs

    @contract @store
    Scenario: the result of a wait is the same in every later pass
      When I submit the script "wait.sh":
        """
        order=$(svc wait-event order)
        kept=$(svc step kept -- printf '%s' '{"n":1.50,"m":18446744073709551615}')
        go=$(svc wait-signal go)
        svc output set order:="$order" kept:="$kept" go:="$go"
        """
      Then the run waits for "event" "order"
      When I send "POST" to "{scoped}/events" with:
        """
        {"type": "order", "payload": {"id": 820982911946154508, "9": 1.0, "8": 1e2}}
        """
      Then the answer is 201
      And the run waits for "signal" "go"
      When I send the signal "go" with '{"by":9007199254740993,"price":1.10}'
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"payload":{"id":820982911946154508,"9":1.0,"8":1e2}'
      And the answer has '"kept":{"n":1.50,"m":18446744073709551615},"go":{"by":9007199254740993,"price":1.10}'
      When I call "svc steps {run} --json"
      Then standard output has ':9007199254740993,'
