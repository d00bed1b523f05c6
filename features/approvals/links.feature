@contract
Feature: A link lets a person without an account answer once

  Background:
    When I submit the script "ship.sh":
      """
      svc wait-signal ship --message 'Ship <b>7</b>?' --form 'count: integer, note?: text' --envelope || true
      svc wait-signal later
      """
    Then the run waits for "signal" "ship"
    When I call "svc approve-link {run} --for zoe@example.com --expires 2d"
    Then it exits with 0
    And the link is noted from standard output

  Rule: Opening a link shows the question and does not use up the link

    Scenario: a scanner opens the link, and the person answers
      When somebody opens the link with "HEAD"
      Then the page is 200
      When somebody opens the link with "GET"
      Then the page is 200
      And the page has "Ship &lt;b&gt;7&lt;/b&gt;?"
      And the page has "name=\"f.count\""
      And the page cannot be stored, found or framed
      When somebody sends the form "decision=approve&f.count=many"
      Then the page is 422
      And the page has "count must be integer"
      And the run waits for "signal" "ship"
      When somebody sends the form "decision=approve&f.count=3&f.note=fine"
      Then the page is 200
      And the page has "Approved"
      And the run waits for "signal" "later"
      When somebody opens the link with "GET"
      Then the page is 410
      When somebody sends the form "decision=reject"
      Then the page is 410
      When I call "svc signal {run} later"
      Then the run succeeds
      And the log matches "{\"by\":\"zoe@example.com \(link created by tester\)\",\"at\":\"20..-.*\",\"payload\":{\"count\":3,\"note\":\"fine\"}}"

    @store
    Scenario: if two people answer at the same time, only one answer counts
      When two people send the form "decision=approve&f.count=1" at once
      Then one of them is answered with 200 and the other with 410
      When I cancel the run because "enough"
      Then the run is "cancelled"

    Scenario: a modified link is rejected
      When somebody opens the link with its last characters changed
      Then the page is 404
      When somebody opens "/answer/abc"
      Then the page is 404
      When I cancel the run because "enough"
      And somebody opens the link with "GET"
      Then the page is 410

    @store
    Scenario: a link ends when its wait is answered in another way
      When I call "svc reject {run} ship"
      Then the run waits for "signal" "later"
      When somebody sends the form "decision=approve&f.count=1"
      Then the page is 410
      When I call "svc signal {run} later"
      Then the run succeeds
      And the log has "rejected by tester"

    Scenario: a link works for up to 30 days
      When I call "svc approve-link {run} --expires 31d"
      Then it exits with 1
      And standard error has "at most 30d"
      When I cancel the run because "enough"
      Then the run is "cancelled"
