<?php
require 'GuzzleHttp/autoload.php';
echo (new GuzzleHttp\Client())->get($argv[1])->getBody();
