@contract
Feature: Handlers that throttle their starts or limit the rate of their events

  Rule: A throttle limits the starts per period, and other deliveries wait

    @store
    Scenario: events above the limit wait, separately for each key
      When I call "svc handler init bash sync.sh"
      And I call "svc handler set sync sync.sh --on contact.changed --throttle 1/1h --throttle-key event.payload.account"
      And I call "svc handler show sync"
      Then standard output matches "^throttle +1/1h for each event.payload.account$"
      When I call "svc emit contact.changed --payload '{\"account\": \"shop\"}'"
      And I call "svc emit contact.changed --payload '{\"account\": \"shop\"}'"
      And I call "svc emit contact.changed --payload '{\"account\": \"blog\"}'"
      Then 2 runs of "sync.sh" succeed
      When I send "GET" to "{scoped}/handlers"
      Then "queued" of the answer is "1"
      When I call "svc handler show sync"
      Then standard output matches "^waiting +1 for throttle until 2"
      When I call "svc handler ls --json"
      Then standard output has "in_flight"
      When I call "svc handler test sync --type contact.changed --payload '{\"account\": \"shop\"}'"
      Then standard output matches "^outcome +queue$"
      And standard output has "throttle: the handler starts at most 1 run in 1h for the key \"shop\""
      When I call "svc handler set sync sync.sh --on contact.changed"
      Then 3 runs of "sync.sh" succeed
      And the project comes to rest

    @store
    Scenario: a waiting event starts its run when the period has ended
      When I call "svc handler init bash tick.sh"
      And I call "svc handler set tick tick.sh --on tick --throttle 1/1s"
      And I call "svc emit tick"
      And I call "svc emit tick"
      And I call "svc emit tick"
      Then 3 runs of "tick.sh" succeed
      And the project comes to rest

  Rule: A rate limit drops events, and their deliveries show this

    Scenario: the second event of a period is dropped
      When I call "svc handler init bash alert.sh"
      And I call "svc handler set alert alert.sh --on alert --rate-limit 1/1h"
      And I call "svc emit alert"
      And I call "svc handler test alert --type alert --payload null"
      Then standard output matches "^outcome +declined$"
      When I call "svc emit alert"
      And I call "svc handler ls"
      Then standard output has "1 started, 1 dropped"
      And the project comes to rest

  Rule: An invalid option is rejected

    Scenario Outline: a handler is rejected: <what>
      When I send "PUT" to "{scoped}/handlers/bad" with:
        """
        {"on": ["x"], "source": "true", <option>}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "<pointer>"
      And "errors.0.message" of the answer matches "<says>"

      Examples:
        | what               | option                                                        | pointer            | says       |
        | no period          | "throttle": {"limit": 1}                                      | /throttle/period   | .          |
        | too long a period  | "throttle": {"limit": 1, "period": "8d"}                      | /throttle/period   | 1s to 7d   |
        | an unknown unit    | "rate_limit": {"limit": 1, "period": "1w"}                    | /rate_limit/period | duration   |
        | a key that loops   | "throttle": {"limit": 1, "period": "1h", "key": "has(event.x) && [1].exists(x, x == 1)"} | /throttle/key | must not loop |

    Scenario: the command line explains how to write a rate
      When I call "svc handler set bad - --on x --throttle 10"
      Then it exits with 2
      And standard error has "--throttle 10/1m"
