Feature: Every project has its own append-only event bus

  Rule: Events are visible only in their own project

    @OVW-019 @store
    Scenario: an event in another project wakes no run here and is not shown here
      When I submit the script "wait.sh":
        """
        svc wait-event go
        """
      Then the run waits for "event" "go"
      Given another project noted as "other"
      When I send "POST" to "/api/v1/orgs/{org}/projects/{other}/events" with:
        """
        {"type": "go", "payload": "elsewhere"}
        """
      Then the answer is 201
      And "event" of the answer is noted as "elsewhere"
      And there are 0 events "go"
      When I send "GET" to "{scoped}/events/{elsewhere}"
      Then the answer is 404 with code "not_found"
      And the run waits for "event" "go"
      When I emit "go" with '"here"'
      Then the run succeeds
      And the log has '"payload":"here"'

  Rule: A recorded event never changes

    @OVW-020
    Scenario: no operation changes or removes an event
      When I emit "fact" with '"first"'
      And I send "PUT" to "{scoped}/events/{event}" with:
        """
        {"type": "fact", "payload": "second"}
        """
      Then the answer is 405 with code "method_not_allowed"
      When I send "DELETE" to "{scoped}/events/{event}"
      Then the answer is 405 with code "method_not_allowed"
      When I emit "fact" with '"second"'
      Then there are 2 events "fact"
      And the first event "fact" carries "first"

    @OVW-020 @store
    Scenario: a repeated emit returns the first event, and does not record another one
      When I emit "fact" with the idempotency key "k-1"
      Then the answer is 201
      And "event" of the answer is noted as "first"
      When I emit "fact" with the idempotency key "k-1"
      Then the answer is 200
      And "event" of the answer is "{first}"
      And there are 1 events "fact"
