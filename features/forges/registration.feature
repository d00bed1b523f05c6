Feature: Webhooks registered at the forge

  Background:
    Given a forge whose API takes the token "far-token-1"
    And the credential "bot" is '{"kind": "bearer", "token": "far-token-1"}'

  Rule: --auto-register registers the address and the events at the forge

    @far-end @EVT-064 @EVT-065 @EVT-066 @EVT-067 @EVT-068 @EVT-069 @EVT-070
    Scenario: one command is enough for the forge to deliver
      When I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far_forge} --auto-register --credential bot --json"
      Then standard output is JSON whose "registration" is "registered"
      And the forge has 1 webhook for "acme/site"
      And the webhook at the forge for "acme/site" subscribes to "push"
      And the webhook at the forge for "acme/site" subscribes to "issues"
      And the webhook at the forge for "acme/site" subscribes to "issue_comment"
      And the webhook at the forge for "acme/site" subscribes to "pull_request"
      And the webhook at the forge for "acme/site" subscribes to "pull_request_review"
      And the webhook at the forge for "acme/site" subscribes to "pull_request_review_comment"
      And the webhook at the forge for "acme/site" subscribes to "release"
      When the forge delivers "release" of "acme/site":
        """
        {"action": "published", "release": {"tag_name": "v1"}, "repository": {"full_name": "acme/site"}}
        """
      Then the answer is 202
      And "event_type" of the answer is "forge.release"
      When I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far_forge} --auto-register --credential bot"
      Then standard output lacks "secret"
      And the forge has 1 webhook for "acme/site"
      When I call "svc webhook rm site"
      Then the forge has 0 webhooks for "acme/site"

    @far-end @contract @no-public-url
    Scenario: without a public address, the command prints where deliveries go
      When I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far_forge} --auto-register --credential bot"
      Then it exits with 0
      And standard error has "SVC_PUBLIC_URL is not set"

    @far-end @EVT-064
    Scenario: registration works for a forge without a default host
      When I call "svc webhook set mirror --forge forge_b --repo acme/mirror --auto-register --credential bot"
      Then it exits with 1
      And standard error has "api_base"
      When I call "svc webhook set mirror --forge forge_b --repo acme/mirror --api-base {far_forge} --auto-register --credential bot"
      Then it exits with 0
      And the forge has 1 webhook for "acme/mirror"
      And the webhook at the forge for "acme/mirror" subscribes to "push"

  @far-end @contract
  Rule: A registration that the forge rejects leaves no webhook behind

    Scenario: the forge rejects a token without the permission
      Given the credential "stale" is '{"kind": "bearer", "token": "an-old-token"}'
      When I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far_forge} --auto-register --credential stale"
      Then it exits with 1
      And standard error has "forge_refused"
      And standard error has "401"
      And standard error lacks "an-old-token"
      When I call "svc webhook ls"
      Then standard output is ""
      And the forge has 0 webhooks for "acme/site"

  @contract
  Rule: The service calls only addresses that the operator permits

    @own-server
    Scenario: local, private and cloud metadata addresses are rejected
      When I register a webhook at each of these addresses:
        | https://169.254.169.254/latest |
        | https://10.0.0.7               |
        | https://127.0.0.2              |
        | https://[::1]:1                |
        | https://2130706434             |
        | https://0x7f.2                 |
        | https://[::ffff:127.0.0.2]     |
        | https://[64:ff9b::7f00:2]      |
      Then each is answered 422 with code "egress_refused"
      When I call "svc webhook ls"
      Then standard output is ""
