Feature: The catalog of events lists what graphs emit

  @EVT-074
  Scenario: the event types of emit nodes are known before the first emit
    Given I save the graph "g":
      """
      {"nodes": [{"id": "a", "type": "emit", "config": {"type": "invoice.sent"}},
                 {"id": "b", "type": "fan_out", "config": {"items": [1], "node": {"type": "emit", "config": {"type": "line.sent"}}}},
                 {"id": "c", "type": "emit", "config": {"type": {"$expr": "'computed'"}}}]}
      """
    Then the catalog has:
      | type         | source   |
      | invoice.sent | declared |
      | line.sent    | declared |
    When I call "svc graph rm g"
    And I send "GET" to "{scoped}/event-types?limit=200"
    Then the answer lacks "invoice.sent"
