Feature: Members by invitation

  Background:
    Given another org noted as "elsewhere"
    And I send "PUT" to "/api/v1/orgs/{elsewhere}/members/zoe-{project}" with:
      """
      {"role": "member"}
      """
    And the answer is 201
    And a token noted as "zoe" with:
      """
      {"org": "{elsewhere}", "user": "zoe-{project}"}
      """

  Rule: A user of another org is invited and becomes a member by accepting

    @contract
    Scenario: an invitation is created, listed and accepted
      When I call "svc member set zoe-{project} --role viewer --project {project}"
      Then it exits with 0
      And standard error has "to be viewer of {project}"
      When I call "svc member ls --project {project}"
      Then standard output lacks "zoe-{project}"
      When I call "svc invitation sent --project {project}"
      Then standard output has "zoe-{project}"
      When I send "GET" to "{scoped}" with the token "{zoe}"
      Then the answer is 404 with code "not_found"
      When I call "svc invitation ls" with "SVC_TOKEN" set to "{zoe}"
      Then it exits with 0
      And standard output has "{org}/{project}"
      When I call "svc invitation ls --json" with "SVC_TOKEN" set to "{zoe}"
      Then standard output is JSON whose "invitations.0.id" is noted as "invitation"
      When I call "svc invitation accept {invitation}" with "SVC_TOKEN" set to "{zoe}"
      Then it exits with 0
      And standard error has "Joined as viewer of {org}/{project}"
      And standard error has "ask an owner of {org} for a token"
      When I call "svc member ls --project {project}"
      Then standard output has "zoe-{project}"
      When I call "svc invitation accept {invitation}" with "SVC_TOKEN" set to "{zoe}"
      Then it exits with 1
      And standard error has "(not_found)"
      When I call "svc audit ls --action invitation"
      Then standard output has "invitation.create"
      And standard output has "invitation.accept"

    @contract
    Scenario: a user declines an invitation
      When I call "svc member set zoe-{project} --role admin --project {project} --json"
      Then standard output has "invited"
      When I call "svc invitation ls --json" with "SVC_TOKEN" set to "{zoe}"
      Then standard output is JSON whose "invitations.0.id" is noted as "invitation"
      When I call "svc invitation decline {invitation}" with "SVC_TOKEN" set to "{zoe}"
      Then it exits with 0
      When I call "svc invitation ls" with "SVC_TOKEN" set to "{zoe}"
      Then standard output lacks "{project}"
      When I send "GET" to "{scoped}/members/zoe-{project}"
      Then the answer is 404 with code "not_found"

    @contract
    Scenario: an owner withdraws an invitation
      When I call "svc member set zoe-{project} --role member --project {project}"
      Then it exits with 0
      When I call "svc invitation ls --json" with "SVC_TOKEN" set to "{zoe}"
      Then standard output is JSON whose "invitations.0.id" is noted as "invitation"
      When I call "svc invitation withdraw zoe-{project} --project {project}"
      Then it exits with 0
      When I call "svc invitation accept {invitation}" with "SVC_TOKEN" set to "{zoe}"
      Then it exits with 1
      And standard error has "(not_found)"
      When I call "svc invitation withdraw zoe-{project} --project {project}"
      Then it exits with 1

  Rule: Only the invited person can answer an invitation, and only with an unrestricted token

    @contract
    Scenario: a limited token can neither list nor accept invitations
      When I call "svc member set zoe-{project} --role member --project {project}"
      And I call "svc invitation ls --json" with "SVC_TOKEN" set to "{zoe}"
      Then standard output is JSON whose "invitations.0.id" is noted as "invitation"
      Given a token noted as "low" with:
        """
        {"org": "{elsewhere}", "user": "zoe-{project}", "role": "viewer"}
        """
      When I call "svc invitation ls" with "SVC_TOKEN" set to "{low}"
      Then it exits with 1
      And standard error has "(forbidden)"
      When I call "svc invitation accept {invitation}" with "SVC_TOKEN" set to "{low}"
      Then it exits with 1
      And standard error has "(forbidden)"
      When I call "svc invitation accept {invitation}"
      Then it exits with 1
      And standard error has "(not_found)"
