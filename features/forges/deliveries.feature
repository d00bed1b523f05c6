Feature: Forge deliveries

  Background:
    Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'

  Rule: A forge delivery becomes an event of the corresponding type, with an unchanged payload

    @EVT-058 @EVT-059 @EVT-071 @EVT-024 @SUBJ-002
    Scenario Outline: a delivery of <event> becomes an event
      When forge_a delivers "<event>" to "site":
        """
        {"action": "created", "nested": {"list": [1, null, "ü"]}, "repository": {"full_name": "acme/site"}}
        """
      Then the answer is 202
      And "event_type" of the answer is "forge.<event>"
      When the event of the delivery is looked at
      Then "type" of the answer is "forge.<event>"
      And "key" of the answer is "acme/site"
      And "payload" of the answer is '{"action":"created","nested":{"list":[1,null,"ü"]},"repository":{"full_name":"acme/site"}}'

      Examples:
        | event           |
        | issue_comment   |
        | pull_request    |
        | ping            |
        | sponsorship     |
        | invented_today  |

    @contract
    Scenario: a form delivery has its payload in a field
      When forge_a delivers "issues" to "site" as a form:
        """
        {"title": "50 % off & more"}
        """
      Then the answer is 202
      When the event of the delivery is looked at
      Then "payload.title" of the answer is "50 % off & more"

  Rule: Only deliveries signed with the webhook's secret are accepted

    @EVT-062
    Scenario: an unsigned delivery is rejected without details and changes nothing
      When a stranger delivers "push" to "site":
        """
        {"ref": "refs/heads/main"}
        """
      Then the answer is 401 with code "signature_invalid"
      When a stranger delivers "push" to "site" without a signature:
        """
        {"ref": "refs/heads/main"}
        """
      Then the answer is 401 with code "signature_invalid"
      When I send "POST" to "/api/v1/forges/whk_01J00000000000000000000000" with:
        """
        {}
        """
      Then the answer is 401 with code "signature_invalid"
      And the project has 0 events of type "push"

    @EVT-062
    Scenario Outline: <forge> deliveries that were changed in transit are rejected
      Given the webhook "signed" with '{"forge": "<forge>", "repo": "acme/site"}'
      When <forge> delivers "push" to "signed", changed on the way to '{"ref": "refs/heads/evil"}':
        """
        {"ref": "refs/heads/main"}
        """
      Then the answer is 401 with code "signature_invalid"
      And the project has 0 events of type "push"
      When <forge> delivers "push" to "signed":
        """
        {"ref": "refs/heads/main"}
        """
      Then the answer is 202
      And the project has 1 event of type "push"

      Examples:
        | forge   |
        | forge_a |
        | forge_b |

  Rule: A redelivery from the forge returns the same event

    @EVT-061 @EVT-063 @needs-cc @store
    Scenario: the forge repeats a delivery after its response was lost
      Given the handler "once" on "forge.issues" runs "once.sh":
        """
        true
        """
      When forge_a delivers "issues" to "site" as "delivery-1":
        """
        {"number": 1}
        """
      Then "event_id" of the answer is noted as "first"
      When forge_a delivers "issues" to "site" as "delivery-1":
        """
        {"number": 1}
        """
      Then the answer is 202
      And "event_id" of the answer is "{first}"
      And "duplicate" of the answer is "true"
      When forge_a delivers "issues" to "site" as "delivery-2":
        """
        {"number": 1}
        """
      Then the project has 2 events of type "forge.issues"
      And the project comes to rest
      And the handler "once" ran 2 times

  Rule: A forge event's subject is the whole repository

    @SUBJ-010 @SUBJ-002
    Scenario: one run waits for the next pull request in its repository
      Given the webhook "other" with '{"forge": "forge_a", "repo": "acme/other"}'
      When I submit the script "wait.sh" for "acme/site":
        """
        svc wait-event forge.pull_request
        """
      Then the run waits for "event" "forge.pull_request"
      When forge_a delivers "pull_request" to "other":
        """
        {"number": 1, "repository": {"full_name": "acme/other"}, "pull_request": {"head": {"sha": "aaa"}}}
        """
      And forge_a delivers "pull_request" to "site":
        """
        {"number": 7, "repository": {"full_name": "acme/site"}, "pull_request": {"head": {"sha": "bbb"}}}
        """
      Then the run succeeds
      And the log has '"number":7'
      And the log lacks '"number":1'
      When the event of the delivery is looked at
      Then "key" of the answer is "acme/site"
