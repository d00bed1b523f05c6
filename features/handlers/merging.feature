@contract
Feature: Handlers that merge events and order waiting events

  Rule: With debounce, the last event of a burst starts the run

    @store
    Scenario: three events start one run
      When I call "svc handler init bash index.sh"
      And I call "svc handler set index index.sh --on page.saved --debounce 2s --debounce-max 1m --debounce-key event.payload.page"
      And I call "svc handler show index"
      Then standard output matches "^debounce +2s, at most 1m for each event.payload.page$"
      When I call "svc handler test index --type page.saved --payload '{\"page\": 1}'"
      Then standard output has "debounce: the run starts when no event for the key \"1\" has arrived for 2s"
      When I call "svc emit page.saved --payload '{\"page\": 1}'"
      And I call "svc emit page.saved --payload '{\"page\": 1}'"
      And I call "svc emit page.saved --payload '{\"page\": 1}'"
      Then 1 runs of "index.sh" succeed
      And the project comes to rest

  Rule: With batch, several events start one run, whose payload is a list of those events

    @store
    Scenario: a batch's run starts when the batch is full, or when its time is up
      Given a file "load.sh":
        """
        first=$(svc input '[0].payload')
        second=$(svc input '[1].payload' --default none)
        svc output set first="$first" second="$second"
        """
      When I call "svc handler set load load.sh --on row.added --batch 2/2s"
      And I call "svc handler show load"
      Then standard output matches "^batch +2/2s$"
      When I call "svc emit row.added --payload 1"
      And I call "svc emit row.added --payload 2"
      And I call "svc emit row.added --payload 3"
      Then 2 runs of "load.sh" succeed
      And the project comes to rest

  Rule: A graph's trigger has the same options

    Scenario: a trigger can have a throttle
      Given a file "sync.json":
        """
        {"version": "svc-graph/v1",
         "nodes": [{"id": "ev", "type": "trigger.event", "config": {"on": ["go"], "throttle": {"limit": 5, "period": "1m"}, "priority": 10}},
                   {"id": "n", "type": "set", "config": {"values": 1}}],
         "edges": [{"from": "ev", "to": "n"}]}
        """
      When I call "svc graph save sync sync.json"
      And I call "svc graph publish sync"
      And I call "svc handler show graph.sync.ev"
      Then standard output matches "^throttle +5/1m$"
      And standard output matches "^priority +10$"

    Scenario: options that cannot be combined are rejected in a trigger
      Given a file "bad.json":
        """
        {"version": "svc-graph/v1",
         "nodes": [{"id": "ev", "type": "trigger.event", "config": {"on": ["go"], "debounce": {"period": "5s"}, "batch": {"size": 2, "timeout": "5s"}}},
                   {"id": "n", "type": "set", "config": {"values": 1}}],
         "edges": [{"from": "ev", "to": "n"}]}
        """
      When I call "svc graph save bad bad.json"
      Then it exits with 1
      And standard error has "cannot be combined with debounce"

  Rule: Options that cannot work together are rejected

    Scenario Outline: a handler is rejected: <what>
      When I send "PUT" to "{scoped}/handlers/bad" with:
        """
        {"on": ["x"], "source": "true", <options>}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "<pointer>"

      Examples:
        | what                     | options                                                                              | pointer       |
        | a maximum below a period | "debounce": {"period": "5s", "max": "2s"}                                            | /debounce/max |
        | a batch and a rate limit | "batch": {"size": 2, "timeout": "5s"}, "rate_limit": {"limit": 1, "period": "1h"}    | /rate_limit   |
        | a batch of one           | "batch": {"size": 1, "timeout": "5s"}                                                | /batch/size   |
        | too high a priority      | "priority": 601                                                                      | /priority     |
