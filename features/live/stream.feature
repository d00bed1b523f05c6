@contract
Feature: Live updates of pages

  Rule: One stream reports changes of runs and events

    @store
    Scenario: a run is reported from its submission to its end
      When I follow "runs,events"
      Then I am soon told:
        | message | member  | value |
        | ready   | resumed | false |
      When I submit the script "job.sh":
        """
        svc wait-signal approved
        """
      Then the run waits for "signal" "approved"
      And I am soon told:
        | message | member | value       |
        | run     | status | waiting     |
        | event   | type   | run.started |
      When I send the signal "approved" with "null"
      Then the run succeeds
      And I am soon told:
        | message | member | value         |
        | run     | status | succeeded     |
        | event   | type   | run.succeeded |

    @store
    Scenario: an interrupted stream resumes where it stopped
      When I follow "events"
      And I emit "first"
      Then I am soon told:
        | message | member | value |
        | event   | type   | first |
      When the stream is cut
      And I emit "second"
      And I emit "third"
      And it goes on with "events" after that
      Then I am soon told:
        | message | member  | value  |
        | ready   | resumed | true   |
        | event   | type    | second |
        | event   | type    | third  |
      And I was told "event" 2 times

  Rule: An unknown topic is rejected with a list of the known ones

    Scenario: topics that do not exist are rejected
      When I send "GET" to "{scoped}/live?topics=runs,weather"
      Then the answer is 400 with code "invalid_request"
      And the answer has "weather"
      And the answer has "run:<id>"
      When I send "GET" to "{scoped}/live?topics=run:run_0"
      Then the answer is 404 with code "not_found"
