region=$(svc step region -- printenv REGION)
address=$(svc step address -- bash -c 'echo "https://$REGION.example"')
svc output set region="$region" address="$address"
