Feature: Trust in forge deliveries

  Background:
    Given the secret "TOKEN" is "hidden-value"
    And the credential "bot" is '{"kind": "bearer", "token": "hidden-token"}'
    And the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'

  Rule: A delivery from a fork gets no secrets and starts no handler that declares a credential

    @AUTH-022 @AUTH-024 @AUTH-025 @AUTH-028 @HAND-046 @HAND-047
    Scenario Outline: trust of a pull request at <forge> from <where>, by <who>
      Given the webhook "pulls" with '{"forge": "<forge>", "repo": "acme/site"}'
      And the handler "bare" with '{"on": ["forge.pull_request"]}' runs "bare.sh":
        """
        echo "given: $(env | grep -c hidden-value || true)"
        """
      And the handler "armed" with '{"on": ["forge.pull_request"], "credentials": {"GH_TOKEN": "bot"}}' runs "armed.sh":
        """
        test "$GH_TOKEN" = hidden-token
        """
      When <forge> delivers "pull_request" to "pulls":
        """
        {"action": "opened", "number": 1, "sender": {"login": "<login>"},
         "repository": {"full_name": "acme/site", "owner": {"login": "ann"}}, "pull_request": {
          "author_association": "<association>", "user": {"login": "<login>"}, "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "<head>"}}}}
        """
      Then it was delivered so:
        | name  | state     | reason   |
        | armed | <armed>   | <reason> |
        | bare  | delivered |          |
      And the handler "bare" succeeds
      And "trusted" of the run is "<trusted>"
      And the log is:
        """
        given: <given>
        """
      And the project comes to rest
      And the handler "armed" ran <times> times
      When I call "svc events show {event}"
      Then standard output matches "armed +<armed>"

      # What decides it is the fork and the author, each without the other.
      Examples:
        | forge   | where          | who         | head      | login | association | armed     | reason                            | trusted | given | times |
        | forge_a | the repository | a member    | acme/site | ann   | MEMBER      | delivered |                                   | true    | 1     | 1     |

      @needs-cc
      Examples:
        | forge   | where          | who         | head      | login | association | armed     | reason                            | trusted | given | times |
        | forge_a | a fork         | an outsider | eve/site  | eve   | NONE        | refused   | untrusted_run_declares_credential | false   | 0     | 0     |
        | forge_a | a fork         | a member    | ann/site  | ann   | MEMBER      | refused   | untrusted_run_declares_credential | false   | 0     | 0     |
        | forge_a | the repository | an outsider | acme/site | eve   | NONE        | refused   | untrusted_run_declares_credential | false   | 0     | 0     |

      # It says of nobody that they belong to the project: a branch of the repository says that its author may push.
      Examples:
        | forge   | where          | who         | head      | login | association | armed     | reason                            | trusted | given | times |
        | forge_b | the repository | the owner   | acme/site | ann   | OWNER       | delivered |                                   | true    | 1     | 1     |
        | forge_b | the repository | one who may push | acme/site | bob | NONE     | delivered |                                   | true    | 1     | 1     |

      @needs-cc
      Examples:
        | forge   | where          | who         | head      | login | association | armed     | reason                            | trusted | given | times |
        | forge_b | a fork         | an outsider | eve/site  | eve   | NONE        | refused   | untrusted_run_declares_credential | false   | 0     | 0     |
        | forge_b | a fork         | the owner   | ann/site  | ann   | OWNER       | refused   | untrusted_run_declares_credential | false   | 0     | 0     |

    @contract
    Scenario: a review of a fork's pull request is untrusted, even by a member
      When forge_a delivers "pull_request_review" to "site":
        """
        {"action": "submitted", "review": {"author_association": "OWNER"}, "pull_request": {
          "author_association": "OWNER", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"repo": {"full_name": "eve/site"}}}}
        """
      And the event of the delivery is looked at
      Then "trusted" of the answer is "false"

  Rule: Text from outsiders is untrusted, and text from members is trusted

    @AUTH-023 @AUTH-024 @AUTH-025 @AUTH-028 @HAND-046 @HAND-047
    Scenario Outline: trust of a comment by <who>
      Given the handler "bare" with '{"on": ["forge.issue_comment"]}' runs "bare.sh":
        """
        echo "secrets: $(env | grep -c hidden-value || true)"
        """
      And the handler "armed" with '{"on": ["forge.issue_comment"], "credentials": {"GH_TOKEN": "bot"}}' runs "armed.sh":
        """
        test "$GH_TOKEN" = hidden-token
        """
      When forge_a delivers "issue_comment" to "site":
        """
        {"action": "created", "issue": {"number": 1, "author_association": "NONE"},
         "comment": {"body": "/deploy", "author_association": "<association>"}, "repository": {"full_name": "acme/site"}}
        """
      Then it was delivered so:
        | name  | state     | reason   |
        | armed | <armed>   | <reason> |
        | bare  | delivered |          |
      And the handler "bare" succeeds
      And "trusted" of the run is "<trusted>"
      And the log has "secrets: <secrets>"
      And the project comes to rest

      Examples:
        | who                        | association            | armed     | reason                            | trusted | secrets |
        | a member                   | MEMBER                 | delivered |                                   | true    | 1       |

      @needs-cc
      Examples:
        | who                        | association            | armed     | reason                            | trusted | secrets |
        | somebody from nowhere      | NONE                   | refused   | untrusted_run_declares_credential | false   | 0       |
        | a former contributor       | CONTRIBUTOR            | refused   | untrusted_run_declares_credential | false   | 0       |
        | somebody who is not placed | FIRST_TIMER            | refused   | untrusted_run_declares_credential | false   | 0       |

    @AUTH-023 @AUTH-024 @AUTH-025 @AUTH-028 @HAND-046 @HAND-047
    Scenario Outline: trust of a comment at forge_b by <who> <where>
      Given the webhook "mirror" with '{"forge": "forge_b", "repo": "acme/site"}'
      And the handler "bare" with '{"on": ["forge.issue_comment"]}' runs "bare.sh":
        """
        echo "given: $(env | grep -c hidden-value || true)"
        """
      And the handler "armed" with '{"on": ["forge.issue_comment"], "credentials": {"GH_TOKEN": "bot"}}' runs "armed.sh":
        """
        test "$GH_TOKEN" = hidden-token
        """
      When forge_b delivers "issue_comment" to "mirror":
        """
        {"action": "created", "is_pull": <pull>, "issue": {"number": 1, "user": {"login": "eve"}},
         "comment": {"body": "/deploy", "user": {"login": "<login>"}}, "sender": {"login": "<login>"},
         "repository": {"full_name": "acme/site", "owner": {"login": "ann"}}}
        """
      Then it was delivered so:
        | name  | state     | reason   |
        | armed | <armed>   | <reason> |
        | bare  | delivered |          |
      And the handler "bare" succeeds
      And "trusted" of the run is "<trusted>"
      And the log is:
        """
        given: <given>
        """
      And the project comes to rest

      Examples:
        | who         | where             | login | pull  | armed     | reason                            | trusted | given |
        | the owner   | on an issue       | ann   | false | delivered |                                   | true    | 1     |

      @needs-cc
      Examples:
        | who         | where             | login | pull  | armed     | reason                            | trusted | given |
        | an outsider | on an issue       | eve   | false | refused   | untrusted_run_declares_credential | false   | 0     |
        | the owner   | on a pull request | ann   | true  | refused   | untrusted_run_declares_credential | false   | 0     |

    @contract
    Scenario: a delivery without known rules is untrusted
      When forge_a delivers "invented_today" to "site":
        """
        {"sender": {"login": "ann"}}
        """
      And the event of the delivery is looked at
      Then "trusted" of the answer is "false"
      When forge_a delivers "issue_comment" to "site":
        """
        {"comment": {"body": "no word of who wrote it"}}
        """
      And the event of the delivery is looked at
      Then "trusted" of the answer is "false"

  @contract
  Rule: An outsider can neither block the project's leases nor cancel its runs

    @needs-cc
    Scenario: an outsider's comment starts a run in the concurrency group of a deployment
      Given the handler "lock" with '{"on": ["forge.issue_comment"]}' runs "lock.sh":
        """
        svc lock site
        echo "it has its own"
        """
      When I submit the pipeline as "deployment":
        """
        concurrency: site
        jobs: { hold: { wait_for_event: go } }
        """
      Then "site" is held by the run "deployment"
      When forge_a delivers "issue_comment" to "site":
        """
        {"action": "created", "issue": {"number": 1, "author_association": "NONE"},
         "comment": {"body": "/deploy", "author_association": "NONE"}, "repository": {"full_name": "acme/site"}}
        """
      Then it was delivered so:
        | name | state     | reason |
        | lock | delivered |        |
      And the handler "lock" succeeds
      And the log has "it has its own"
      And "site" is held by the run "deployment"
      When I emit "go"
      And I look at the run "deployment"
      Then the run succeeds
