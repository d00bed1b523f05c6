Feature: The workflow of a webhook

  Background:
    Given the webhook "ci" for "acme/site" runs "ci.sh":
      """
      echo "checking $CI_TRIGGER_REPO at $CI_TRIGGER_SHA"
      """

  Rule: A webhook's workflow runs on each push unless a handler matches

    @HAND-023 @HAND-024 @HAND-025 @EVT-044
    Scenario: a handler replaces the webhook's workflow until it is removed
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "repository": {"full_name": "acme/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "checking acme/site at aaa1"
      And "subject" of the run is "acme/site"
      And "trusted" of the run is "true"
      And "trigger.type" of the run is "push"
      And "trigger.event" of the run is "{event}"
      And the project has 1 event of type "push"
      Given the handler "build" on "push" runs "build.sh":
        """
        echo "building"
        """
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "bbb2", "repository": {"full_name": "acme/site"}}
        """
      Then the delivery came to:
        | reaction | name  | state     | reason |
        | handler  | build | delivered |        |
        | webhook  | ci    | declined  | build  |
      And the handler "build" succeeds
      Given the handler "build" is removed
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "ccc3", "repository": {"full_name": "acme/site"}}
        """
      Then the delivery came to:
        | reaction | name | state     | reason |
        | webhook  | ci   | delivered |        |
      And the workflow of the webhook "ci" succeeds
      And the log has "checking acme/site at ccc3"

    @HAND-023 @HAND-024
    Scenario: a handler that matches but declines still replaces the webhook's workflow
      When I send "PUT" to "{scoped}/handlers/build" with:
        """
        {"on": ["p*"], "when": "event.ref == 'refs/heads/main'", "filename": "build.sh", "source": "true"}
        """
      Then the answer is 201
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/topic", "after": "aaa1", "repository": {"full_name": "acme/site"}}
        """
      Then the delivery came to:
        | reaction | name  | state    | reason                 |
        | handler  | build | declined | the predicate is false |
        | webhook  | ci    | declined | build                  |

  @contract
  Rule: A webhook's workflow does not run for deleted branches or other events

    Scenario: a deleted branch and an opened issue start no workflow
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/old", "after": "0000000000000000000000000000000000000000", "deleted": true}
        """
      Then the delivery came to:
        | reaction | name | state    | reason      |
        | webhook  | ci   | declined | was deleted |
      When forge_a delivers "issues" to "ci":
        """
        {"action": "opened"}
        """
      Then the delivery came to:
        | reaction | name | state | reason |

  Rule: Path conditions accept a push if its paths are unknown

    @HAND-022
    Scenario Outline: a path condition checks a push with <what>
      When I send "PUT" to "{scoped}/handlers/docs" with:
        """
        {"on": ["push"], "filename": "docs.sh", "source": "true",
         "when": "!event.paths_known || event.paths.exists(path, path.startsWith('docs/'))"}
        """
      Then the answer is 201
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "forced": false, "commits": <commits>}
        """
      Then it was delivered so:
        | name | state   | reason   |
        | docs | <state> | <reason> |
      And the project comes to rest

      Examples:
        | what                | commits                                                      | state     | reason                 |
        | a file that matters | [{"added": ["docs/a.md"], "modified": [], "removed": []}]    | delivered |                        |
        | none that matters   | [{"added": ["src/a.ts"], "modified": [], "removed": []}]     | declined  | the predicate is false |
        | no list of files    | []                                                           | delivered |                        |

  Rule: Conditions can read the fields of a push

    @EVT-019
    Scenario Outline: a push is checked against <when>
      When I send "PUT" to "{scoped}/handlers/see" with:
        """
        {"on": ["push"], "filename": "see.sh", "source": "true", "when": "<when>"}
        """
      Then the answer is 201
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "abc", "forced": false,
         "commits": [{"added": ["a"], "modified": [], "removed": []}],
         "repository": {"full_name": "acme/site"}, "sender": {"login": "ann"}}
        """
      Then it was delivered so:
        | name | state   | reason   |
        | see  | <state> | <reason> |
      And the project comes to rest

      Examples:
        | when                                                                                     | state     | reason                 |
        | event.ref == 'refs/heads/main' && event.sha == 'abc' && event.repo == 'acme/site'        | delivered |                        |
        | event.sender == 'ann' && event.paths == ['a'] && event.paths_known                       | delivered |                        |
        | event.ref != 'refs/heads/main' \|\| event.sender != 'ann' \|\| !event.paths_known        | declined  | the predicate is false |

  @contract
  Rule: A webhook's workflow has the same options as a submission

    Scenario: a webhook's workflow has a credential, an input and a cancelling event type
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-6-ab"}'
      And the webhook "held" with '{"forge": "forge_a", "repo": "acme/held"}'
      And a file "hold.sh":
        """
        test "$TOKEN" = tok-6-ab && grep -q '"from":"here"' "$SVC_INPUT_FILE" && svc step checked -- true
        """
      When I call "svc webhook set held --forge forge_a --repo acme/held --workflow hold.sh --credential TOKEN=bot --cancel-on halt --input '{\"from\":\"here\"}' --subject released"
      And forge_a delivers "push" to "held":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "repository": {"full_name": "acme/held"}}
        """
      Then the workflow of the webhook "held" succeeds
      And 1 step is recorded
      And "cancel_on" of the run is '["halt"]'
      And "subject" of the run is "released"
      And "credentials" of the run is '{"TOKEN":"bot"}'
      When I send "GET" to "{scoped}/credentials/bot/uses"
      Then "uses.0.kind" of the answer is "webhook"
      And "uses.0.detail" of the answer is "TOKEN"

    Scenario: the HTTP API sets the same options
      Given the webhook "held" with '{"forge": "forge_a", "repo": "acme/held", "workflow": {"source": "grep -q input.*n.*7 $SVC_INPUT_FILE", "input": {"n": 7}, "cancel_on": ["halt"]}}'
      When forge_a delivers "push" to "held":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "repository": {"full_name": "acme/held"}}
        """
      Then the workflow of the webhook "held" succeeds
      And "cancel_on" of the run is '["halt"]'
