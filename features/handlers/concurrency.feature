@contract
Feature: Handlers that limit their runs

  Rule: A handler never has more runs in progress than its limit, for each value of the key

    @store
    Scenario: events of the same key wait, and start in order
      Given a file "deploy.sh":
        """
        svc step deploy -- echo "deploying $(svc input service)"
        svc wait-signal never --timeout 1ms || true
        """
      When I call "svc handler set deploy deploy.sh --on deploy.asked --concurrency-key event.payload.service --requires nowhere"
      And I call "svc handler show deploy"
      Then standard output matches "^concurrency +1 for each event.payload.service$"
      When I call "svc emit deploy.asked --payload '{\"service\": \"shop\"}'"
      And I call "svc emit deploy.asked --payload '{\"service\": \"shop\"}'"
      And I call "svc emit deploy.asked --payload '{\"service\": \"blog\"}'"
      And I send "GET" to "{scoped}/handlers"
      Then "in_flight" of the answer is "2"
      And "queued" of the answer is "1"
      When I call "svc handler test deploy --type deploy.asked --payload '{\"service\": \"shop\"}'"
      Then standard output matches "^outcome +queue$"
      And standard output has "the handler may have 1 run in flight for the key \"shop\""
      When I call "svc runs cancel --status queued,running --yes"
      And I call "svc runs cancel --status queued,running --yes"
      Then the project comes to rest

    @store
    Scenario: each event starts one run, and the runs execute one after another
      Given a file "one.sh":
        """
        svc step work -- true
        """
      When I call "svc handler set one one.sh --on job.asked --concurrency 1"
      And I call "svc emit job.asked"
      And I call "svc emit job.asked"
      And I call "svc emit job.asked"
      Then 3 runs of "one.sh" succeed
      And the project comes to rest

  Rule: An invalid limit is rejected

    Scenario Outline: a handler is rejected: <what>
      When I send "PUT" to "{scoped}/handlers/bad" with:
        """
        {"on": ["x"], "source": "true", "concurrency": <concurrency>}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "<pointer>"
      And "errors.0.message" of the answer matches "<says>"

      Examples:
        | what              | concurrency                           | pointer            | says          |
        | a limit of none   | {"limit": 0}                          | /concurrency/limit | .             |
        | too high a limit  | {"limit": 17}                         | /concurrency/limit | .             |
        | a key that loops  | {"key": "event.payload.map(x, x)"}    | /concurrency/key   | must not loop |
        | an unknown name   | {"key": "nobody.knows"}               | /concurrency/key   | nobody        |
