@contract
Feature: Who can publish graphs

  Background:
    Given a token of every role
    And I save the graph "hooked":
      """
      {"nodes": [{"id": "order", "type": "trigger.webhook"}]}
      """

  Scenario: Only admins can create and remove hooks, even through a graph
    When I send "POST" to "{scoped}/graphs/hooked/publish" with the token "{member}" and:
      """
      {}
      """
    Then the answer is 403 with code "forbidden"
    And the answer has "order"
    When I send "GET" to "{scoped}/event-hooks/graph.hooked.order"
    Then the answer is 404 with code "not_found"
    When I send "POST" to "{scoped}/graphs/hooked/publish" with the token "{admin}" and:
      """
      {}
      """
    Then the answer is 200
    When I send "POST" to "{scoped}/graphs/hooked/unpublish" with the token "{member}"
    Then the answer is 403 with code "forbidden"
    When I send "DELETE" to "{scoped}/graphs/hooked" with the token "{member}"
    Then the answer is 403 with code "forbidden"
    When I send "GET" to "{scoped}/event-hooks/graph.hooked.order"
    Then the answer is 200

  Scenario: publishing a version without the hook removes it, which requires an admin
    Given I send "POST" to "{scoped}/graphs/hooked/publish" with the token "{admin}" and:
      """
      {}
      """
    And I save the graph "hooked":
      """
      {"nodes": [{"id": "order", "type": "trigger.manual"}]}
      """
    When I send "POST" to "{scoped}/graphs/hooked/publish" with the token "{member}" and:
      """
      {}
      """
    Then the answer is 403 with code "forbidden"
    When I send "POST" to "{scoped}/graphs/hooked/publish" with the token "{admin}" and:
      """
      {}
      """
    Then the answer is 200
    When I send "DELETE" to "{scoped}/graphs/hooked" with the token "{member}"
    Then the answer is 204

  Scenario: a member can manage handlers and schedules, directly and through a graph
    Given I save the graph "timed":
      """
      {"nodes": [{"id": "ev", "type": "trigger.event", "config": {"on": ["x"]}},
                 {"id": "tick", "type": "trigger.schedule", "config": {"cron": "0 0 1 1 *"}}]}
      """
    When I send "POST" to "{scoped}/graphs/timed/publish" with the token "{viewer}" and:
      """
      {}
      """
    Then the answer is 403 with code "forbidden"
    When I send "POST" to "{scoped}/graphs/timed/publish" with the token "{member}" and:
      """
      {}
      """
    Then the answer is 200
    When I send "DELETE" to "{scoped}/graphs/timed" with the token "{member}"
    Then the answer is 204
